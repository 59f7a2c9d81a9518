//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// containerImage runs commands as containers of one image do: each in a folder of its own that holds the spec and the
// arrays of the example, with the program in the path.
type containerImage struct{ bin string }

func newImage(t *testing.T) containerImage {
	t.Helper()
	return containerImage{filepath.Dir(buildQats(t))}
}

// script is what qats cluster script prints of the example in such a folder.
func (m containerImage) script(t *testing.T, out, system string, more ...string) string {
	t.Helper()
	words := []string{"qats", "cluster", "script", "experiments/example.yaml", "--out", out, "--for", system, "--tests", "1"}
	_, status, text := m.run(t, append(words, more...))
	if status != 0 {
		t.Fatalf("status %d: %s", status, text)
	}
	return text
}

// run runs a command, and returns its folder, its status and what it said.
func (m containerImage) run(t *testing.T, command []string, env ...string) (dir string, status int, said string) {
	t.Helper()
	dir = t.TempDir()
	mustDo(t, os.CopyFS(filepath.Join(dir, "data", "example"), os.DirFS(filepath.Join(project(t), "data", "example"))))
	mustDo(t, os.Mkdir(filepath.Join(dir, "experiments"), 0o777))
	spec, err := os.ReadFile(filepath.Join(project(t), "experiments", "example.yaml"))
	mustDo(t, err)
	mustDo(t, os.WriteFile(filepath.Join(dir, "experiments", "example.yaml"), spec, 0o666))
	if command[0] == "qats" {
		command[0] = filepath.Join(m.bin, "qats")
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "PATH="+m.bin+string(os.PathListSeparator)+os.Getenv("PATH")), env...)
	b, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return dir, cmd.ProcessState.ExitCode(), string(b)
}

// runApart runs each task and the assembly. The assembly puts the bytes of a run in one process into the folder of the
// object store, and names a task whose pack is not there.
func runApart(t *testing.T, m containerImage, bucket, out, variable string, n int, task, assembly []string) {
	t.Helper()
	for i := range n {
		if dir, status, said := m.run(t, task, fmt.Sprintf("%s=%d", variable, i)); status != 0 {
			t.Fatalf("task %d in %s: status %d: %s", i, dir, status, said)
		}
	}
	packs, _ := filepath.Glob(filepath.Join(bucket, "*"))
	if len(packs) != n {
		t.Fatalf("%d packs: %q", len(packs), packs)
	}
	mustDo(t, os.Rename(packs[1], packs[1]+".away"))
	if _, status, said := m.run(t, assembly); status != exitTerminated || !strings.Contains(said, "1 task of 5 missing: 1 ") {
		t.Errorf("without a pack: status %d: %s", status, said)
	}
	mustDo(t, os.Rename(packs[1]+".away", packs[1]))
	if _, status, said := m.run(t, assembly); status != 0 {
		t.Fatalf("assembly: status %d: %s", status, said)
	}
	dir := t.TempDir()
	if b, err := exec.Command("tar", "-xzf", filepath.Join(bucket, "results.tgz"), "-C", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, b)
	}
	sameCSV(t, variable, exampleResults(t), filepath.Join(dir, out))
	if _, err := os.Stat(filepath.Join(dir, out, "index.html")); err != nil {
		t.Error(err)
	}
}

// TestKubernetes runs the commands of the printed jobs.
func TestKubernetes(t *testing.T) {
	if testing.Short() {
		t.Skip("runs seven containers")
	}
	m, bucket := newImage(t), filepath.Join(t.TempDir(), "a bucket")
	mustDo(t, os.Mkdir(bucket, 0o777))
	text := m.script(t, "it's out", "kubernetes", "--image", "registry.example.org/qats:1", "--to", bucket, "--copy", "cp", "--at-once", "3")
	type job struct {
		Spec struct {
			Completions, Parallelism int
			Suspend                  bool
			Template                 struct {
				Spec struct{ Containers []struct{ Command []string } }
			}
		}
	}
	var jobs []job
	for doc := range strings.SplitSeq(text, "\n---\n") {
		var j job
		mustDo(t, yaml.Unmarshal([]byte(doc), &j))
		jobs = append(jobs, j)
	}
	if len(jobs) != 2 || jobs[0].Spec.Completions != 5 || jobs[0].Spec.Parallelism != 3 || jobs[0].Spec.Suspend || !jobs[1].Spec.Suspend {
		t.Fatalf("%+v", jobs)
	}
	runApart(t, m, bucket, "it's out", "JOB_COMPLETION_INDEX", 5,
		jobs[0].Spec.Template.Spec.Containers[0].Command, jobs[1].Spec.Template.Spec.Containers[0].Command)
}

// TestJobManifest: the printed jobs have the form of Kubernetes jobs, by the types of the API, and other forms are
// noticed.
func TestJobManifest(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program with the types of Kubernetes")
	}
	check := filepath.Join(t.TempDir(), "manifest")
	build := exec.Command("go", "build", "-o", check, ".")
	build.Dir = filepath.Join("testdata", "cluster", "manifest")
	build.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	switch b, err := build.CombinedOutput(); {
	case err != nil && strings.Contains(string(b), "proxy"):
		t.Skipf("the modules of Kubernetes are neither in the module cache nor at a proxy:\n%s", b)
	case err != nil:
		t.Fatalf("%v: %s", err, b)
	}
	text, assembly, _ := strings.Cut(newImage(t).script(t, "out", "kubernetes", "--image", "qats", "--to", "s3://b/q"), "\n---\n")
	for _, c := range []struct{ old, new, want string }{
		{"", "", ""},
		{"completionMode:", "completionmode2:", `unknown field "completionmode2"`},
		{"completions: 5", "completions: five", "cannot unmarshal string"},
		{"  completions: 5\n", "", "an indexed job needs completions"},
		{"completionMode: Indexed", "completionMode: NonIndexed", "completionMode is not Indexed"},
		{"restartPolicy: Never", "restartPolicy: Always", "backoffLimitPerIndex needs Never"},
		{"memory: 4608Mi", "memory: 6 gigabytes", "quantities must match"},
		{"parallelism: 5", "parallelism: 5\n  parallelism: 6", "already set"},
		{"image:", "picture:", "unknown field"},
		{"batch/v1", "batch/v2", "want a batch/v1 Job"},
	} {
		cmd := exec.Command(check)
		changed := strings.Replace(text, c.old, c.new, 1)
		if c.old != "" && changed == text {
			t.Fatalf("the job has no %q:\n%s", c.old, text)
		}
		cmd.Stdin = strings.NewReader(changed)
		switch out, err := cmd.CombinedOutput(); {
		case c.want == "" && (err != nil || string(out) != "5\n"):
			t.Errorf("%v: %s", err, out)
		case c.want != "" && (err == nil || !strings.Contains(string(out), c.want)):
			t.Errorf("with %q: %v: %s; want %s", c.new, err, out, c.want)
		}
	}
	cmd := exec.Command(check)
	cmd.Stdin = strings.NewReader(assembly)
	if out, err := cmd.CombinedOutput(); err != nil || string(out) != "1\n" {
		t.Errorf("assembly: %v: %s", err, out)
	}
}

// TestAWSBatch runs the printed script with a command aws that keeps its arguments, and then the commands of the jobs
// that it was asked for. Where the AWS CLI is installed it checks the calls by its model of the service, offline.
func TestAWSBatch(t *testing.T) {
	if testing.Short() {
		t.Skip("runs seven containers")
	}
	m, bucket, calls := newImage(t), t.TempDir(), t.TempDir()
	text := m.script(t, "it's out", "aws-batch", "--image", "registry.example.org/qats:1", "--to", bucket, "--copy", "cp", "--mem", "2GiB")
	bin := t.TempDir()
	fake := "#!/bin/sh\nn=$(ls " + calls + " | wc -l)\nprintf '%s\\0' \"$@\" > " + calls + "/$n\necho id-$((n))\n"
	mustDo(t, os.WriteFile(filepath.Join(bin, "aws"), []byte(fake), 0o777))
	script := exec.Command("sh", "-s", "a-queue", "arn:aws:iam::123456789012:role/qats")
	script.Stdin = strings.NewReader(text)
	script.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	if b, err := script.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, b)
	}
	var asked [][]string
	for i := range 3 {
		b, err := os.ReadFile(filepath.Join(calls, fmt.Sprint(i)))
		mustDo(t, err)
		words := strings.Split(strings.TrimSuffix(string(b), "\x00"), "\x00")
		asked = append(asked, words)
		if find("aws") == "" {
			continue
		}
		check := exec.Command("aws", append(slices.Clone(words), "--generate-cli-skeleton", "output")...)
		check.Env = append(os.Environ(), "AWS_ACCESS_KEY_ID=none", "AWS_SECRET_ACCESS_KEY=none", "AWS_DEFAULT_REGION=us-east-1", "AWS_CONFIG_FILE=/dev/null")
		if b, err := check.CombinedOutput(); err != nil {
			t.Errorf("%q: %v: %s", words, err, b)
		}
	}
	value := func(i int, flag string) string {
		if at := slices.Index(asked[i], flag); at >= 0 {
			return asked[i][at+1]
		}
		return ""
	}
	for _, c := range []struct {
		call       int
		flag, want string
	}{
		{0, "--container-properties", "image=registry.example.org/qats:1,jobRoleArn=arn:aws:iam::123456789012:role/qats,resourceRequirements=[{type=VCPU,value=1},{type=MEMORY,value=2048}]"},
		{1, "--job-queue", "a-queue"}, {1, "--job-definition", "id-0"}, {1, "--array-properties", "size=5"}, {1, "--depends-on", ""},
		{2, "--job-queue", "a-queue"}, {2, "--job-definition", "id-0"}, {2, "--array-properties", ""}, {2, "--depends-on", "jobId=id-1"},
	} {
		if got := value(c.call, c.flag); got != c.want {
			t.Errorf("call %d: %s %q, want %q", c.call, c.flag, got, c.want)
		}
	}
	command := func(i int) []string {
		var o struct{ Command []string }
		mustDo(t, json.Unmarshal([]byte(value(i, "--container-overrides")), &o))
		return o.Command
	}
	runApart(t, m, bucket, "it's out", "AWS_BATCH_JOB_ARRAY_INDEX", 5, command(1), command(2))
}

// TestNextflow runs the printed workflow if Nextflow is installed. Otherwise it runs the scripts of its processes as
// Nextflow does: by bash -ue, each in a folder of its own, into which the packs are copied.
func TestNextflow(t *testing.T) {
	if testing.Short() {
		t.Skip("runs seven processes")
	}
	qats, out := buildQats(t), filepath.Join(t.TempDir(), `it's "$here"`)
	text := scriptFor(t, qats, out, "nextflow", "--at-once", "2", "--mem", "1GiB")
	alone := exampleResults(t)
	if find("nextflow") != "" {
		file := filepath.Join(t.TempDir(), "main.nf")
		mustDo(t, os.WriteFile(file, []byte(text), 0o666))
		cmd := exec.Command("nextflow", "run", file)
		cmd.Dir = t.TempDir()
		if b, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, b)
		}
		sameCSV(t, "nextflow", alone, out)
		return
	}
	blocks := regexp.MustCompile(`(?s)"""\n(.*?)"""`).FindAllStringSubmatch(text, -1)
	if len(blocks) != 2 || !strings.Contains(text, "ASSEMBLY(TASK(Channel.of(0..4)).collect())") || strings.Count(text, "memory '1024 MB'") != 2 || !strings.Contains(text, "maxForks 2") {
		t.Fatalf("%s", text)
	}
	groovy := strings.NewReplacer(`\\`, `\`, `\$`, `$`, `\"`, `"`) // in a string
	var packs []string
	for i := range 5 {
		dir := t.TempDir()
		bash(t, dir, groovy.Replace(strings.ReplaceAll(blocks[0][1], "${i}", fmt.Sprint(i))))
		packs = append(packs, filepath.Join(dir, packName(i, 5)))
	}
	dir := t.TempDir()
	for _, pack := range packs {
		b, err := os.ReadFile(pack)
		mustDo(t, err)
		mustDo(t, os.WriteFile(filepath.Join(dir, filepath.Base(pack)), b, 0o666))
	}
	bash(t, dir, groovy.Replace(blocks[1][1]))
	sameCSV(t, "nextflow", alone, filepath.Join(dir, filepath.Base(out)))
}

// bash runs a script in a folder.
func bash(t *testing.T, dir, script string) {
	t.Helper()
	cmd := exec.Command("bash", "-ue")
	cmd.Stdin, cmd.Dir = bytes.NewBufferString(script), dir
	if b, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s\n%s", err, b, script)
	}
}

// TestFlagsOfTasksApart: a file that could not work is not printed.
func TestFlagsOfTasksApart(t *testing.T) {
	spec := filepath.Join("..", "..", "experiments", "example.yaml")
	for words, want := range map[string]string{
		"--for kubernetes":                                                  "needs --image",
		"--for aws-batch --image x --tests 1":                               "and --to, a folder of an object store",
		"--for aws-batch --image x --to s3://b --tasks 1":                   "2 tasks or more",
		"--for aws-batch --image x --to s3://b --tests 1 --at-once 2":       "leave it out",
		"--for kubernetes --image x;rm --to s3://b":                         "want the name of an image",
		"--for kubernetes --image x --to s3://b --store s":                  "a store of its own",
		"--for kubernetes --image x --to s3://$b":                           "Kubernetes replaces words after a $",
		"--for nextflow --store s":                                          "a store of its own",
		"--for nextflow --to s3://b":                                        "tasks of nextflow have no use for it",
		"--for slurm --image x":                                             "tasks of slurm have no use for it",
		"--for kubernetes --image x --to s3://b --copy \x1b":                "control character",
		"--for nextflow --requeue 3 --time 10 --cpus 2 --image reg/x@sha:1": "",
	} {
		args := append([]string{"cluster", "script", spec, "--out", t.TempDir()}, strings.Fields(words)...)
		status, _, said := typedWords(t, args...)
		if want == "" && status != exitOK || want != "" && (status != exitUsage || !strings.Contains(said, want)) {
			t.Errorf("%s: status %d, %s; want %s", words, status, said, want)
		}
	}
}
