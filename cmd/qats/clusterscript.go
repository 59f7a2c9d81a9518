package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/qats-bench/qats/experiments/cluster"
	"github.com/qats-bench/qats/internal/called"
	"github.com/qats-bench/qats/internal/terminal"
)

// need is what a task gets.
type need struct {
	time    string // as Slurm writes it; empty for the limit of the partition
	memory  int64  // in bytes
	comment string // says why
}

// Slurm counts limits in minutes and gives its signal up to a minute early, so a task that needs
// less still gets as much as timeStart.
const timeStart = 5 // minutes

// needOf returns the time and the memory that the flags say or, without them, what follows from the
// largest task that was measured.
func (f *clusterFlags) needOf(cmd *cobra.Command, records []cluster.Record) need {
	const MiB = 1 << 20
	seconds, bytes := cluster.Largest(records)
	n := need{time: f.time, memory: f.mem.bytes}
	measured := seconds > 0 && bytes > 0
	if measured {
		n.comment = fmt.Sprintf("The largest of the tasks that were measured took %.1f minutes and %d MiB.", seconds/60, bytes/MiB)
	} else {
		n.comment = "No task was measured yet. " + called.Command() + " run SPEC --task 0 measures one."
	}
	if n.time == "" && measured {
		n.time = strconv.Itoa(int(math.Ceil(2*seconds/60)) + timeStart)
	}
	switch {
	case cmd.Flags().Changed("mem"):
	case measured:
		n.memory = bytes + bytes/2
	default:
		n.memory = f.at.memory.bytes + 512*MiB
	}
	n.memory = (n.memory + 64*MiB - 1) / (64 * MiB) * 64 * MiB
	return n
}

// taskTexts writes the tasks of a run for what starts them.
type taskTexts struct {
	dir     string   // in which the commands run
	out     string   // folder of the results
	logs    string   // as a pattern of Slurm
	command []string // of the run, without --task
	fresh   []string // words of the tasks alone
	report  []string // command; empty for none
	n       int      // tasks
	cpus    int
	atOnce  int // 0 for no limit
	requeue int
	need    need
	apart   apartTexts // where tasks share no disk
}

// texts returns the tasks of a run of specs. Words that a script cannot hold are an error.
func (f *clusterFlags) texts(cmd *cobra.Command, files []string, n int) (*taskTexts, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	logs, err := filepath.Abs(f.logs())
	if err != nil {
		return nil, err
	}
	t := &taskTexts{dir: dir, out: f.at.out, n: n, cpus: f.cpus, atOnce: f.throttle, requeue: f.requeue, fresh: given(cmd, "fresh"),
		apart:   f.apart(cmd, self, files),
		command: slices.Concat([]string{self, "run"}, files, given(cmd, "data", "out", "max-memory", "store", "quick", "allow-exec", "env", "tests"))}
	if f.report {
		t.report = slices.Concat([]string{self, "report"}, files, given(cmd, "out"))
	}
	for _, word := range append([]string{dir, logs, f.to, f.copy}, t.command...) {
		if terminal.Line(word) != word { // as it would be printed
			return nil, fmt.Errorf("%.200q has a control character or another that is not shown, or is too long for a batch script: rename it", word)
		}
		if (f.system == gnuParallel || f.system == snakemake) && strings.ContainsAny(word, "{}") {
			return nil, fmt.Errorf("%q: GNU parallel and Snakemake replace words in braces: rename it", word)
		}
		if f.system == kubernetes && strings.Contains(word, "$") {
			return nil, fmt.Errorf("%q: Kubernetes replaces words after a $: rename it", word)
		}
	}
	// The name of a log is a pattern. A backslash in it cannot be escaped: it is left out,
	// and turns the symbols off (man sbatch, "filename pattern").
	if strings.Contains(logs, `\`) && f.system == slurm {
		return nil, fmt.Errorf("--out %s: Slurm writes no log into a folder with a backslash in its path; name another folder by --out", filepath.Dir(logs))
	}
	t.logs = strings.ReplaceAll(logs, "%", "%%")
	return t, nil
}

// task is the command of a task, whose number is index as the shell reads it.
func (t *taskTexts) task(index string, more ...string) string {
	return quoted(slices.Concat(t.command, t.fresh, more)) + " --task " + index + "/" + strconv.Itoa(t.n)
}

// finish are the commands that put the run together, as lines of a shell. Failed cells end the
// run with status 1, and are shown.
func (t *taskTexts) finish() string {
	run := quoted(append(slices.Clone(t.command), "--assemble", strconv.Itoa(t.n)))
	if len(t.report) == 0 {
		return run
	}
	return run + "; status=$?\n[ $status -le 1 ] || exit $status\n" + quoted(t.report) + " > /dev/null && exit $status"
}

// comment is a line that says why the tasks get what they need.
func (t *taskTexts) comment() string { return "# " + t.need.comment + "\n" }

// array is the batch script of the tasks.
func (t *taskTexts) array() string {
	tasks := fmt.Sprintf("0-%d", t.n-1)
	if t.atOnce > 0 {
		tasks += fmt.Sprintf("%%%d", t.atOnce)
	}
	return t.head("qats", "%A_%a.log", "--array="+tasks, fmt.Sprintf("--signal=B:USR1@%d", endBefore)) + taskScript(t.task(`"$SLURM_ARRAY_TASK_ID"`), t.requeue)
}

// assembly is the batch script of the job that puts the run together.
func (t *taskTexts) assembly() string {
	return t.head("qats-assembly", "assembly_%j.log") + t.finish() + "\n"
}

// head is the head of a batch script, with more options.
func (t *taskTexts) head(name, log string, more ...string) string {
	options := []string{"--job-name=" + name, "--chdir=" + t.dir, fmt.Sprintf("--cpus-per-task=%d", t.cpus), fmt.Sprintf("--mem=%dM", t.need.memory>>20)}
	if t.need.time != "" {
		options = append(options, "--time="+t.need.time)
	}
	options = append(options, "--requeue", "--open-mode=append", "--output="+filepath.Join(t.logs, log))
	script := "#!/bin/sh\n" + t.comment()
	for _, option := range append(options, more...) {
		script += "#SBATCH " + sbatchWord(option) + "\n"
	}
	return script
}

// endBefore is how many seconds before its time limit a task is asked to end.
const endBefore = 30

// taskScript is the batch script of a task, after its options: it runs the command of the task,
// and asks for another start if the time limit has ended it after it has stored something: its
// status is then exitTerminated, else exitIdle. Slurm sends USR1 for the time limit alone, so a task
// that is cancelled is not started again. --requeue alone starts a task again after a node fails, not
// after a time limit. A signal ends the wait of a shell, not its child, so it waits once more, also for
// a child that has ended since and whose status nobody has asked for; 127 says that somebody has.
func taskScript(task string, requeue int) string {
	again, idle := strconv.Itoa(exitTerminated), strconv.Itoa(exitIdle)
	most := strconv.Itoa(requeue)
	return `limit= asked= child=
end() { asked=yes; [ -z "$child" ] || kill -TERM $child; }
trap 'limit=met; end' USR1
trap end TERM
` + task + ` &
child=$!
[ -z "$asked" ] || end
wait $child; status=$?
alive=yes
while [ $status -gt 128 ] && [ "$alive" ]; do
	kill -0 $child 2> /dev/null || alive=
	wait $child 2> /dev/null; last=$?
	[ $last -eq 127 ] || status=$last
done
[ "$limit" ] || exit $status
[ $status -ne ` + idle + ` ] || echo "` + called.Name() + `: not requeued: nothing was stored since the last start; give the tasks more time" >&2
[ $status -eq ` + again + ` ] || exit $status
[ "${SLURM_RESTART_COUNT:-0}" -lt ` + most + ` ] || { echo "` + called.Name() + `: not requeued: started again ${SLURM_RESTART_COUNT:-0} times, of at most ` + most + `" >&2; exit $status; }
scontrol requeue "${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID"
exit $status
`
}

// sbatchWord returns a word as sbatch reads it in a line #SBATCH. Unlike a shell, sbatch
// takes a backslash in quotes of either kind as an escape.
func sbatchWord(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(word) + `"`
}

// workers are the words for the workers of a task, where Slurm does not say how many it has.
func (t *taskTexts) workers() []string { return []string{"--workers", strconv.Itoa(t.cpus)} }

// parallel is a script that runs the tasks by GNU parallel. A task with failed cells has done its
// part; the last command says what is missing.
func (t *taskTexts) parallel() string {
	jobs := ""
	if t.atOnce > 0 {
		jobs = fmt.Sprintf(" --jobs %d", t.atOnce)
	}
	return fmt.Sprintf("#!/bin/sh\n%scd %s || exit 2\nseq 0 %d | parallel%s %s\n%s\n", t.comment(), quote(t.dir), t.n-1, jobs, quote(t.task("{}", t.workers()...)), t.finish())
}

// snakefile runs the tasks by Snakemake, which counts a task as done that has failed cells.
func (t *taskTexts) snakefile() string {
	mark := filepath.Join(t.out, "tasks")
	before, after, _ := strings.Cut(t.task("\x00", t.workers()...), "\x00")
	return fmt.Sprintf(`%sworkdir: %s
rule all:
    input: %[3]s
rule task:
    output: touch(%s)
    threads: %d
    resources: mem_mb=%d
    shell: %s
rule assembly:
    input: expand(%[4]s, i=range(%[8]d))
    output: touch(%[3]s)
    shell: %[9]s
`, t.comment(), strconv.Quote(t.dir), strconv.Quote(mark+"/assembly.done"), strconv.Quote(mark+"/{i}.done"), t.cpus, t.need.memory>>20,
		strconv.Quote(before+"{wildcards.i}"+after+" || [ $? -eq 1 ]"), t.n, strconv.Quote("set +e\n"+t.finish()))
}
