package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/qats-bench/qats/internal/called"
)

// containers reports whether a system runs tasks in containers of an image that has all that they need.
func (s system) containers() bool { return s == kubernetes || s == awsBatch }

// apart reports whether the tasks of a system share no disk: each has a store of its own, and hands on a pack of it.
func (s system) apart() bool { return s.containers() || s == nextflow }

// imageName is the name of an image. It needs no quotes in YAML, Groovy and the short forms of the AWS CLI.
var imageName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_./:@-]*$`)

// checkApart returns an error if flags do not fit tasks of the system with or without a shared disk.
func (f *clusterFlags) checkApart(cmd *cobra.Command, n int) error {
	for _, name := range []string{"image", "to", "copy"} {
		if cmd.Flags().Changed(name) && !f.system.containers() && (name != "image" || f.system != nextflow) {
			return usage("--%s: tasks of %s have no use for it; leave it out", name, f.system)
		}
	}
	switch {
	case !f.system.apart():
	case cmd.Flags().Changed("store"):
		return usage("--store: each task of %s has a store of its own; leave it out", f.system)
	case f.image != "" && !imageName.MatchString(f.image):
		return fmt.Errorf("--image %q: want the name of an image, such as registry.example.org/qats:1", f.image)
	case f.system.containers() && (f.image == "" || f.to == "" || strings.TrimSpace(f.copy) == ""):
		return usage("--for %s needs --image, with the program, the specs, the arrays and the command of --copy, and --to, a folder of an object store, as in --image registry.example.org/qats:1 --to s3://bucket/qats", f.system)
	case f.system == awsBatch && n < 2:
		return errors.New("an array of AWS Batch has 2 tasks or more: give --tasks, or fewer --tests")
	case f.system == awsBatch && f.throttle > 0:
		return usage("--at-once: on AWS Batch the compute environment says how many tasks run at a time; leave it out")
	}
	return nil
}

// apartTexts are the words of a run whose tasks share no disk.
type apartTexts struct {
	image string
	to    string // folder of the object store, as a word of a shell
	copy  string // command that copies one file to it or from it, as a shell reads it

	self  string // the program
	files []string
	flags []string // that run and pack share, without --out
	run   []string // flags of run alone
}

// apart returns the words of specs for tasks that share no disk.
func (f *clusterFlags) apart(cmd *cobra.Command, self string, files []string) apartTexts {
	if f.system.containers() {
		self = called.Name()
	}
	return apartTexts{image: f.image, to: quote(strings.TrimSuffix(f.to, "/")), copy: f.copy, self: self, files: files,
		flags: given(cmd, "data", "quick", "allow-exec", "env", "tests"), run: given(cmd, "max-memory")}
}

// on is a command of the program on the specs. out is the folder of results, as a word of a shell.
func (a *apartTexts) on(command, out string, flags ...[]string) string {
	words := append([]string{a.self}, strings.Fields(command)...)
	return quoted(slices.Concat(append([][]string{words, a.files}, flags...)...)) + " --out " + out
}

// packed are the lines of a shell that do a task and write its pack. index is its number, as a shell reads it. Failed
// cells are no failure of the task: the assembly shows them.
func (t *taskTexts) packed(index, out, more string) string {
	a, task := &t.apart, fmt.Sprintf(" --task %s/%d", index, t.n)
	return a.on("run", out, a.flags, a.run, t.fresh, t.workers()) + task + " || [ $? -eq 1 ]\n" + a.on("cluster pack", out, a.flags) + task + more + "\n"
}

// mergedFrom are the lines of a shell that put the run together from packs. status is then 1 if cells have failed.
func (t *taskTexts) mergedFrom(packs, out, store string) string {
	a := &t.apart
	lines := quoted([]string{a.self, "cluster", "merge"}) + " " + packs + " --out " + out + " --store " + store + "\nstatus=0\n" +
		a.on("run", out, a.flags, a.run) + fmt.Sprintf(" --store %s --assemble %d || status=$?\n[ $status -le 1 ] || exit $status\n", store, t.n)
	if len(t.report) > 0 {
		lines += a.on("report", out) + " > /dev/null\n"
	}
	return lines
}

// contained are the lines of a shell that do a task in a container and copy its pack to the object store.
func (t *taskTexts) contained() string {
	return t.packed("auto", quote(t.out), "") + t.apart.copy + " " + packName("*", t.n) + " " + t.apart.to + "/\n"
}

// containedAssembly are the lines of a shell that copy the packs into a container, put the run together, and copy an
// archive of its files to the object store. merge names the packs that are not there.
func (t *taskTexts) containedAssembly() string {
	a := &t.apart
	return fmt.Sprintf("seq 0 %d | while read -r i; do %s %s/%s . < /dev/null || true; done\n", t.n-1, a.copy, a.to, packName("$i", t.n)) +
		t.mergedFrom(packName("*", t.n), quote(t.out), "store") + "tar -czf results.tgz " + quote(t.out) + "\n" + a.copy + " results.tgz " + a.to + "/\nexit $status\n"
}

// retries is how often a task of a container or of Nextflow that was ended is started again.
const retries = 3

// kubernetes is the file of two jobs: an indexed one, whose pods are the tasks, and a suspended one for the assembly.
func (t *taskTexts) kubernetes() string {
	atOnce := t.n
	if t.atOnce > 0 {
		atOnce = min(t.atOnce, t.n)
	}
	job := func(name, spec, script string) string {
		return fmt.Sprintf(`apiVersion: batch/v1
kind: Job
metadata:
  name: %s
spec:
%s  template:
    spec:
      restartPolicy: Never
      containers:
        - name: qats
          image: %s
          command:
            - sh
            - -ec
            - |
%s          resources:
            requests: {cpu: "%[5]d", memory: %[6]dMi}
            limits: {cpu: "%[5]d", memory: %[6]dMi}
`, name, spec, strconv.Quote(t.apart.image), indented(script, 14), t.cpus, t.need.memory>>20)
	}
	return t.comment() + fmt.Sprintf(`# kubectl apply -f this-file
# kubectl wait --for=condition=complete --timeout=-1s job/qats
# kubectl patch job/qats-assembly --patch '{"spec": {"suspend": false}}'
# The results are then results.tgz in %s.
`, t.apart.to) +
		job("qats", fmt.Sprintf("  completionMode: Indexed\n  completions: %d\n  parallelism: %d\n  backoffLimitPerIndex: %d\n", t.n, atOnce, retries), t.contained()) +
		"---\n" + job("qats-assembly", "  suspend: true\n  backoffLimit: 0\n", t.containedAssembly())
}

// indented puts spaces before each line.
func indented(text string, n int) string {
	out := ""
	for line := range strings.Lines(text) {
		out += strings.Repeat(" ", n) + line
	}
	return out
}

// awsBatch is a script that submits an array, and a job for the assembly that waits for it, by the AWS CLI.
func (t *taskTexts) awsBatch() (string, error) {
	command := func(script string) (string, error) {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		err := e.Encode(map[string][]string{"command": {"sh", "-ec", script}})
		return quote(strings.TrimSpace(b.String())), err
	}
	tasks, err := command(t.contained())
	assembly, err2 := command(t.containedAssembly())
	return fmt.Sprintf(`#!/bin/sh
%s# sh this-file QUEUE ROLE: a job queue, and the ARN of a role that may read and write %s.
# The results are then results.tgz there.
set -e
queue=${1:?the name of a job queue} role=${2:?the ARN of the role of the jobs}
definition=$(aws batch register-job-definition --job-definition-name qats --type container --retry-strategy attempts=%d \
	--container-properties "image=%s,jobRoleArn=$role,resourceRequirements=[{type=VCPU,value=%d},{type=MEMORY,value=%d}]" \
	--query jobDefinitionArn --output text)
array=$(aws batch submit-job --job-name qats --job-queue "$queue" --job-definition "$definition" --array-properties size=%d \
	--query jobId --output text --container-overrides %s)
aws batch submit-job --job-name qats-assembly --job-queue "$queue" --job-definition "$definition" --depends-on "jobId=$array" \
	--retry-strategy attempts=1 --container-overrides %s
`, t.comment(), t.apart.to, 1+retries, t.apart.image, t.cpus, t.need.memory>>20, t.n, tasks, assembly), cmp.Or(err, err2)
}

// nextflow is a workflow of Nextflow, which copies the packs itself. Its commands run in the folder in which this one
// does, and their files are in the folders of Nextflow.
func (t *taskTexts) nextflow() (string, error) {
	out, err := filepath.Abs(t.out)
	if err != nil {
		return "", err
	}
	results := `"$work"/` + quote(filepath.Base(out))
	groovy := func(text string) string { return strings.NewReplacer(`\`, `\\`, `$`, `\$`, `"`, `\"`).Replace(text) }
	script := func(lines string) string {
		return indented(strings.ReplaceAll(groovy("work=$PWD\ncd "+quote(t.dir)+"\n"+lines), "@TASK@", "${i}"), 4)
	}
	container, forks := "", ""
	if t.apart.image != "" {
		container = fmt.Sprintf("    container '%s'\n", t.apart.image)
	}
	if t.atOnce > 0 {
		forks = fmt.Sprintf("    maxForks %d\n", t.atOnce)
	}
	needs := fmt.Sprintf("    cpus %d\n    memory '%d MB'\n", t.cpus, t.need.memory>>20) + container
	return fmt.Sprintf(`// %s
process TASK {
%s%s    errorStrategy 'retry'
    maxRetries %d

    input:
    val i

    output:
    path "%s"

    script:
    """
%s    """
}

process ASSEMBLY {
%s    publishDir "%s", mode: 'copy'

    input:
    path packs

    output:
    path "%s"

    script:
    """
%s    """
}

workflow {
    ASSEMBLY(TASK(Channel.of(0..%d)).collect())
}
`, t.need.comment, needs, forks, retries, packName("${i}", t.n), script(t.packed("@TASK@", results, ` -o "$work"/`+packName("@TASK@", t.n))),
		needs, groovy(filepath.Dir(out)), groovy(filepath.Base(out)),
		script(t.mergedFrom(`"$work"/`+packName("*", t.n), results, `"$work"/store`)+"[ $status -eq 0 ] || echo 'some cells failed'\n"), t.n-1), nil
}
