package main

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// slurmCluster is a Slurm of two nodes on this machine. It ends with the test.
type slurmCluster struct {
	t    *testing.T
	dir  string
	conf string
	pids []string // files
}

// newCluster starts munged, slurmctld and two slurmd, or skips the test where they
// are not installed (Debian: slurm-wlm and munge) or the user is not root.
func newCluster(t *testing.T) *slurmCluster {
	t.Helper()
	if testing.Short() {
		t.Skip("starts a Slurm")
	}
	if os.Getuid() != 0 {
		t.Skip("a Slurm of one's own needs root")
	}
	for _, name := range []string{"munged", "slurmctld", "slurmd", "sbatch"} {
		if find(name) == "" {
			t.Skipf("%s is not installed (Debian: apt-get install slurm-wlm munge)", name)
		}
	}
	dir, err := os.MkdirTemp("", "qats-slurm-") // short: a socket's path has at most 107 bytes
	if err != nil {
		t.Fatal(err)
	}
	c := &slurmCluster{t: t, dir: dir}
	t.Cleanup(c.stop)
	conf, err := os.ReadFile(filepath.Join("testdata", "slurm", "slurm.conf.in"))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(string(conf), "@DIR@", dir)
	for i := range 3 {
		text = strings.ReplaceAll(text, fmt.Sprintf("@PORT%d@", i), strconv.Itoa(freePort(t)))
	}
	key := make([]byte, 128)
	rand.Read(key)
	file := filepath.Join(dir, "slurm.conf")
	for _, name := range []string{"run", "log", "state", "spool/n1", "spool/n2"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Chmod(dir, 0o755), os.WriteFile(file, []byte(text), 0o644),
		os.WriteFile(filepath.Join(dir, "run", "munge.key"), key, 0o600)); err != nil {
		t.Fatal(err)
	}
	c.conf = file
	in := func(name string) string { return filepath.Join(dir, name) }
	c.start("munged.pid", "munged", "--key-file="+in("run/munge.key"), "--socket="+in("run/munge.sock"), "--pid-file="+in("run/munged.pid"),
		"--log-file="+in("log/munged.log"), "--seed-file="+in("run/munge.seed"), "--force", "--num-threads=2")
	c.start("slurmctld.pid", "slurmctld", "-f", file, "-c")
	c.start("slurmd-n1.pid", "slurmd", "-f", file, "-N", "n1")
	c.start("slurmd-n2.pid", "slurmd", "-f", file, "-N", "n2")
	for end := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
		out, _ := c.command("sinfo", "-h", "-N", "-o", "%T").Output()
		if strings.TrimSpace(string(out)) == "idle\nidle" {
			return c
		}
		if time.Now().After(end) {
			t.Fatalf("the nodes are not idle: %s", out)
		}
	}
}

// find returns the path of a program, also of a daemon.
func find(name string) string {
	for _, path := range []string{name, "/usr/sbin/" + name} {
		if p, err := exec.LookPath(path); err == nil {
			return p
		}
	}
	return ""
}

// freePort returns a port that was free a moment ago.
func freePort(t *testing.T) int {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

func (c *slurmCluster) start(pid, name string, args ...string) {
	c.t.Helper()
	if out, err := c.command(find(name), args...).CombinedOutput(); err != nil {
		c.t.Fatalf("%s: %v: %s", name, err, out)
	}
	c.pids = append(c.pids, filepath.Join(c.dir, "run", pid))
}

// stop ends the daemons by their ids, the last first.
func (c *slurmCluster) stop() {
	c.command("scancel", "--state=RUNNING", "--signal=KILL").Run()
	for i := len(c.pids) - 1; i >= 0; i-- {
		c.signal(c.pids[i], syscall.SIGTERM)
	}
	time.Sleep(500 * time.Millisecond)
	os.RemoveAll(c.dir)
}

func (c *slurmCluster) signal(pidFile string, s os.Signal) {
	b, _ := os.ReadFile(pidFile)
	if pid, err := strconv.Atoi(strings.TrimSpace(string(b))); err == nil && pid > 1 {
		if p, err := os.FindProcess(pid); err == nil {
			p.Signal(s)
		}
	}
}

// command is a command in the root of the project, for this Slurm.
func (c *slurmCluster) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = filepath.Join("..", "..")
	cmd.Env = append(os.Environ(), "SLURM_CONF="+c.conf)
	return cmd
}

// do runs a command of Slurm and returns what it prints.
func (c *slurmCluster) do(name string, args ...string) string {
	c.t.Helper()
	out, err := c.command(name, args...).CombinedOutput()
	if err != nil {
		c.t.Fatalf("%s %v: %v: %s", name, args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// wait waits until no job is left in the queue.
func (c *slurmCluster) wait(limit time.Duration) {
	c.t.Helper()
	for end := time.Now().Add(limit); ; time.Sleep(200 * time.Millisecond) {
		out, err := c.command("squeue", "-h", "-o", "%i %T %R").Output()
		if err == nil && len(bytes.TrimSpace(out)) == 0 {
			return
		}
		if time.Now().After(end) {
			c.t.Fatalf("jobs are left:\n%s", out)
		}
	}
}

// buildQats compiles the program: the test's own binary is none that a node can run.
func buildQats(t *testing.T) string {
	t.Helper()
	qats := filepath.Join(t.TempDir(), "qats")
	if out, err := exec.Command("go", "build", "-o", qats, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v: %s", err, out)
	}
	return qats
}

// sameCSV checks that two folders hold the same three files.
func sameCSV(t *testing.T, what, want, got string) {
	t.Helper()
	for _, name := range []string{"results.csv", "bins.csv", "pairs.csv"} {
		a, err := os.ReadFile(filepath.Join(want, name))
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join(got, name))
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		if !bytes.Equal(a, b) {
			t.Errorf("%s: %s differs", what, name)
		}
	}
}

// TestSlurm runs arrays on two nodes: undisturbed, with a task requeued, with a task that is
// told that its time limit comes, and with a node that goes down and comes back. The assembly
// that qats cluster submits gives the bytes of a run without tasks each time. After a task that was
// killed or cancelled it names what is missing, and a second array with its assembly does the rest. A
// longer campaign has a real time limit too.
func TestSlurm(t *testing.T) {
	t.Parallel() // most of its time it waits for Slurm
	c := newCluster(t)
	qats := buildQats(t)
	specs := []string{"experiments/companion-forms.yaml", "experiments/companion-hfe.yaml"}
	patience := 2 * time.Minute
	if list := os.Getenv("QATS_SLURM_SPECS"); list != "" { // a longer campaign
		specs, patience = strings.Fields(list), 15*time.Minute
	}
	var quick []string
	if os.Getenv("QATS_SLURM_QUICK") != "" {
		quick = []string{"--quick"}
	}
	alone := filepath.Join(t.TempDir(), "alone")
	c.do(qats, slices.Concat([]string{"run", "--out", alone}, quick, specs)...)
	submit := func(out string, n int, options ...string) (job string) {
		t.Helper()
		args := slices.Concat([]string{"cluster", "submit", "--out", out, "--tests", "2", "--mem", "50MiB"}, quick, specs)
		if n > 0 {
			args = append(args, "--tasks", strconv.Itoa(n))
		}
		b, err := c.command(qats, slices.Concat(args, []string{"--"}, options)...).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, b)
		}
		job, _, _ = strings.Cut(strings.TrimPrefix(string(b), "array "), " ")
		return job
	}
	// running waits until a task runs.
	running := func(job string) string {
		for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
			if ids := strings.Fields(c.do("squeue", "-h", "-r", "-t", "RUNNING", "-j", job, "-o", "%i")); len(ids) > 0 {
				return ids[0]
			}
		}
		return ""
	}
	atWork := func(out string) { // waits until something is in the store
		for end := time.Now().Add(time.Minute); stored(out) < 20 && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		}
	}
	cases := map[string]func(out, job string){
		"undisturbed":   func(string, string) {},
		"a task killed": func(_, job string) { c.command("scancel", "--signal=KILL", "--full", running(job)).Run() },
		"a task cancelled": func(out, job string) {
			task := running(job)
			atWork(out)
			c.command("scancel", task).Run()
		},
		"a task requeued": func(_, job string) {
			c.command("scontrol", "requeue", running(job)).Run()
		},
		"told of the time limit": func(out, job string) {
			task := running(job)
			atWork(out)
			c.do("scancel", "--batch", "--signal=USR1", task) // as Slurm does
		},
		"a node down and up": func(_, job string) {
			running(job)
			c.do("scontrol", "update", "NodeName=n2", "State=DOWN", "Reason=test")
			time.Sleep(500 * time.Millisecond)
			c.command("scontrol", "update", "NodeName=n2", "State=RESUME").Run() // it may have come back by itself
		},
	}
	const limit = "a real time limit" // Slurm makes 20 seconds a minute, and sends the signal 20 to 50 seconds after the start
	if os.Getenv("QATS_SLURM_SPECS") != "" {
		cases[limit] = func(string, string) {}
	}
	for what, disturb := range cases {
		sizes := []int{4}
		switch what {
		case "undisturbed":
			sizes = []int{0} // as many as the specs have parts
		case "told of the time limit", "a task cancelled":
			sizes = []int{1} // a task that is still at work when it is told
		}
		if os.Getenv("QATS_SLURM_SPECS") != "" {
			sizes = []int{4, 16}
		}
		for _, n := range sizes {
			start := time.Now()
			out := filepath.Join(t.TempDir(), `at 100%j, "it's" #here`)
			var options []string
			if what == limit {
				options = []string{"--time=00:00:20", "--signal=B:USR1@10"}
			}
			job := submit(out, n, options...)
			disturb(out, job)
			c.wait(patience)
			t.Logf("%s, %d tasks: %s", what, n, time.Since(start).Round(time.Second))
			logs, err := filepath.Glob(filepath.Join(strings.ReplaceAll(out, "*", "?"), "slurm", "*.log"))
			if err != nil {
				t.Fatal(err)
			}
			said := ""
			for _, log := range logs {
				b, _ := os.ReadFile(log)
				said += string(b)
			}
			switch what {
			case "told of the time limit":
				if !strings.Contains(said, "; run again to go on") || strings.Contains(said, "not requeued") {
					t.Errorf("the task was not requeued: %s", said)
				}
			case "a task killed", "a task cancelled":
				if _, err := os.Stat(filepath.Join(out, "results.csv")); err == nil && what == "a task cancelled" || strings.Count(said, "; run again to go on") > 1 {
					t.Errorf("%s: requeued, or the assembly has done the rest alone: %s", what, said)
				}
				if !strings.Contains(said, " cells are missing, of task ") {
					t.Errorf("%s: the assembly says nothing: %s", what, said)
				}
				if what == "a task cancelled" {
					continue
				}
				submit(out, n)
				c.wait(patience)
			}
			sameCSV(t, fmt.Sprintf("%s, %d tasks", what, n), alone, out)
			if _, err := os.Stat(filepath.Join(out, "report.tex")); err != nil {
				t.Errorf("%s, %d tasks: nothing was rendered: %v", what, n, err)
			}
			status, err := c.command(qats, slices.Concat([]string{"cluster", "status", "--out", out, "--tests", "2"}, quick, specs)...).CombinedOutput()
			if err != nil || !strings.HasSuffix(string(status), " cells done, 0 failed, 0 missing\n") {
				t.Errorf("status: %v, %s", err, status)
			}
		}
	}
	// A task that is told of its time limit before it has stored anything is not started again.
	dir := t.TempDir()
	slow, out, began := filepath.Join(dir, "slow.yaml"), filepath.Join(dir, "out"), filepath.Join(dir, "began")
	text := "name: slow\nmethods: [{name: sleeps, method: external, options: {command: [sh, -c, \"touch " + began + "; sleep 600\"]}}]\nmetrics: [ece]\nbaseline: none\nsettings: {dataset: example, backbone: unsure-overscaled}\n"
	if err := os.WriteFile(slow, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	b, err := c.command(qats, "cluster", "submit", slow, "--data", "data/example", "--allow-exec", "--out", out, "--mem", "50MiB").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, b)
	}
	job, _, _ := strings.Cut(strings.TrimPrefix(string(b), "array "), " ")
	task := running(job)
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(began); err == nil {
			break
		}
	}
	c.do("scancel", "--batch", "--signal=USR1", task)
	c.wait(patience)
	said := ""
	logs, _ := filepath.Glob(filepath.Join(out, "slurm", "*.log"))
	for _, log := range logs {
		b, _ := os.ReadFile(log)
		said += string(b)
	}
	for _, want := range []string{"qats: not requeued: nothing was stored since the last start", "1 of 1 cells are missing, of task 0 (1); submit the array again"} {
		if !strings.Contains(said, want) {
			t.Errorf("no %q in %s", want, said)
		}
	}
	// Slurm's own limit is checked before anything is submitted.
	b, err = c.command(qats, "cluster", "script", specs[0], "--out", t.TempDir(), "--tasks", "20000").CombinedOutput()
	if err == nil || !strings.Contains(string(b), "want 1 to 10000") {
		t.Errorf("%v: %s", err, b)
	}
}
