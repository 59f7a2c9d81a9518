package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/internal/terminal"
)

// slurmFlags are the flags of qats cluster script and submit.
type slurmFlags struct {
	at       places
	shards   int
	throttle int
	cpus     int
	requeue  int
	estimate bool
	need     need
	submit   bool
	report   bool
}

// clusterCommand has the commands of a run that is divided among the tasks of a cluster.
func clusterCommand() *cobra.Command {
	return commandOf(&cobra.Command{
		Use:   "cluster",
		Short: "A run on a cluster: print or submit the scripts of a Slurm array, say how far it is",
		Long: `cluster has the commands of a run that is divided into shards, the tasks of a Slurm array.
docs/cluster.md says how the work is divided, and what other batch systems need.`,
		Example: `  qats cluster script experiments/companion.yaml --shards 16 --out results/out/companion
  qats cluster submit experiments/companion.yaml --shards 16 --out results/out/companion -- --time=01:00:00
  qats cluster status results/out/companion`,
	}, scriptCommand(), submitCommand(), statusCommand())
}

// aboutTasks is the part of the help that script and submit share.
const aboutTasks = `
A task that meets its time limit keeps what it has, and asks Slurm to start it again, at
most as often as --requeue says. It does not ask if it has stored nothing since it was
started. If a task has ended before its part is done, the last job says so and ends with
status 75; to submit the array again does what is missing.

The run is planned first, and files that no run has hashed yet are hashed, so that the
tasks need not. A task gets time and memory by the plan: the estimated work of the longest
shard, times a pass over rows that is measured on this machine, times 3; and the memory
that the largest settings take, if --max-memory does not give it. The estimate stands at
the head of the scripts, and is rough.

All nodes must see the folders of data and results under the same paths.`

func scriptCommand() *cobra.Command {
	var f slurmFlags
	cmd := &cobra.Command{
		Use:   "script SPEC... --shards N --out DIR",
		Short: "Print a run as a Slurm array and the job that puts it together",
		Long: `script prints two batch scripts: an array of N tasks, each of which does one shard of the
specs, and a job that starts when all tasks have ended. It writes the CSV files and renders
tables and figures. cluster submit submits the two.
` + aboutTasks,
		Example: `  qats cluster script experiments/companion.yaml --shards 16 --out results/out/companion
  qats cluster script experiments/companion.yaml --shards 16 --out results/out/companion --estimate`,
		ValidArgsFunction: completeSpecs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.ArgsLenAtDash() >= 0 {
				return usage("words after -- are for sbatch, which qats cluster submit starts: leave them out")
			}
			if err := specArgs(cmd, args); err != nil {
				return err
			}
			return f.run(cmd, args, nil)
		},
	}
	f.flags(cmd)
	cmd.Flags().BoolVar(&f.estimate, "estimate", false, "print the estimate of time and memory alone")
	return cmd
}

func submitCommand() *cobra.Command {
	f := slurmFlags{submit: true}
	cmd := &cobra.Command{
		Use:   "submit SPEC... --shards N --out DIR [-- SBATCH OPTIONS]",
		Short: "Submit a run as a Slurm array and the job that puts it together",
		Long: `submit gives sbatch the two scripts that cluster script prints. Words after -- are given to
sbatch for both jobs, as in -- --time=02:00:00 --partition=short. cluster status DIR says
how far the tasks are.
` + aboutTasks,
		Example:           "  qats cluster submit experiments/companion.yaml --shards 16 --out results/out/companion -- --time=01:00:00",
		ValidArgsFunction: completeSpecs,
		RunE: func(cmd *cobra.Command, args []string) error {
			files, options := args, []string(nil)
			if dash := cmd.ArgsLenAtDash(); dash >= 0 {
				files, options = args[:dash], args[dash:]
			}
			if err := specArgs(cmd, files); err != nil {
				return err
			}
			return f.run(cmd, files, options)
		},
	}
	f.flags(cmd)
	return cmd
}

func (f *slurmFlags) flags(cmd *cobra.Command) {
	f.at.flags(cmd)
	f.at.quickFlag(cmd)
	cmd.Flags().IntVar(&f.shards, "shards", 0, fmt.Sprintf("number of tasks, 1 to %d", maxShards))
	cmd.Flags().IntVar(&f.throttle, "at-once", 0, "most tasks that run at a time; 0 for no limit")
	cmd.Flags().IntVar(&f.cpus, "cpus", 1, "processors of a task")
	f.at.memory.flag(cmd, "memory of a task for arrays, in place of that of the plan")
	cmd.Flags().IntVar(&f.requeue, "requeue", 10, "how often a task that meets its time limit is started again")
	cmd.Flags().BoolVar(&f.report, "report", true, "render tables and figures at the end")
}

func (f *slurmFlags) run(cmd *cobra.Command, files, options []string) error {
	switch {
	case f.shards < 1 || f.shards > maxShards:
		return fmt.Errorf("--shards %d: want 1 to %d", f.shards, maxShards)
	case f.throttle < 0:
		return fmt.Errorf("--at-once %d: want 0 or more", f.throttle)
	case f.cpus < 1:
		return fmt.Errorf("--cpus %d: want 1 or more", f.cpus)
	case f.requeue < 0:
		return fmt.Errorf("--requeue %d: want 0 or more", f.requeue)
	case f.requeue > 0 && f.at.Fresh && !cmd.Flags().Changed("requeue"):
		f.requeue = 0
	case f.requeue > 0 && f.at.Fresh:
		return errors.New("--requeue: with --fresh a task would begin anew each time it is started; leave one of them out")
	}
	specs, err := experiments.ReadSpecs(files) // a mistake is cheaper here than in N tasks
	if err != nil {
		return err
	}
	if err := f.at.checkEnv(os.LookupEnv); err != nil {
		return err
	}
	if most, ok := maxArraySize(); ok && f.shards > most-1 {
		return fmt.Errorf("--shards %d: the array of this Slurm ends at %d (MaxArraySize %d)", f.shards, most-1, most)
	}
	if _, _, err := f.scripts(cmd, files); err != nil { // before anything is written
		return err
	}
	plan, err := f.at.plan(cmd, specs)
	if err != nil {
		return err
	}
	if err := f.estimateNeed(cmd, plan); err != nil {
		return err
	}
	w := cmd.OutOrStdout()
	if f.estimate {
		_, err := fmt.Fprint(w, f.need)
		return err
	}
	array, assembly, err := f.scripts(cmd, files)
	if err != nil {
		return err
	}
	if !f.submit {
		fmt.Fprintf(w, "%s\n# Before it, for the logs: mkdir -p %s\n# After it, with --dependency=afterany:ID of the array:\n\n%s", array, quote(f.logs()), assembly)
		return nil
	}
	if err := os.MkdirAll(f.logs(), 0o777); err != nil {
		return err
	}
	first, err := sbatch(array, options)
	if err != nil {
		return err
	}
	// Not afterok, which waits for ever after one killed task. A task that is requeued has not
	// ended.
	second, err := sbatch(assembly, append(slices.Clone(options), "--dependency=afterany:"+first))
	if err != nil {
		return fmt.Errorf("the array is job %s, but the assembly is not submitted: %w", first, err)
	}
	_, err = terminal.Fprintf(w, "array %s of %d tasks, then job %s; qats %s says how far they are\n",
		first, f.shards, second, quoted(append([]string{"cluster", "status", f.at.out}, given(cmd, "store")...)))
	return err
}

func (f *slurmFlags) logs() string { return filepath.Join(f.at.out, "slurm") }

// scripts returns the script of the array and that of the assembly.
func (f *slurmFlags) scripts(cmd *cobra.Command, files []string) (array, assembly string, err error) {
	self, err := os.Executable()
	if err != nil {
		return "", "", err
	}
	dir, err := os.Getwd()
	if err != nil {
		return "", "", err
	}
	logs, err := filepath.Abs(f.logs())
	if err != nil {
		return "", "", err
	}
	words := slices.Concat([]string{self, "run"}, files, given(cmd, "data", "out"), []string{"--max-memory", f.need.arrays()},
		given(cmd, "store", "quick", "allow-exec", "env"))
	for _, word := range append([]string{dir, logs}, words...) {
		if terminal.Line(word) != word { // as it would be printed
			return "", "", fmt.Errorf("%.200q has a control character or another that is not shown, or is too long for a batch script: rename it", word)
		}
	}
	tasks := fmt.Sprintf("1-%d", f.shards)
	if f.throttle > 0 {
		tasks += fmt.Sprintf("%%%d", f.throttle)
	}
	// The name of a log is a pattern. A backslash in it cannot be escaped: it is left out,
	// and turns the symbols off (man sbatch, "filename pattern").
	if strings.Contains(logs, `\`) {
		return "", "", fmt.Errorf("--out %s: Slurm writes no log into a folder with a backslash in its path; name another folder by --out", filepath.Dir(logs))
	}
	pattern := strings.ReplaceAll(logs, "%", "%%")
	head := func(name, log string, more ...string) string {
		script := "#!/bin/sh\n"
		for line := range strings.Lines(f.need.String()) {
			script += "# " + line
		}
		for _, option := range append([]string{"--job-name=" + name, "--chdir=" + dir, fmt.Sprintf("--cpus-per-task=%d", f.cpus),
			fmt.Sprintf("--time=%d", f.need.minutes), fmt.Sprintf("--mem=%dM", f.need.task>>20),
			"--requeue", "--open-mode=append", "--output=" + filepath.Join(pattern, log)}, more...) {
			script += "#SBATCH " + sbatchWord(option) + "\n"
		}
		return script
	}
	shard := quoted(slices.Concat(words, given(cmd, "fresh"), []string{"--shard", "auto"}))
	gain := quoted(slices.Concat([]string{self, "cluster", "status", f.at.out}, given(cmd, "store"), []string{"--shard", "auto"}))
	array = head("qats", "%A_%a.log", "--array="+tasks, fmt.Sprintf("--signal=B:USR1@%d", endBefore)) + taskScript(shard, gain, f.requeue)
	run := quoted(append(words, "--assemble", strconv.Itoa(f.shards)))
	if f.report {
		report := quoted(slices.Concat([]string{self, "report"}, files, given(cmd, "out")))
		run = run + "; status=$?\n[ $status -le 1 ] || exit $status\n" + report + " > /dev/null && exit $status"
	}
	return array, head("qats-assembly", "assembly_%j.log") + run + "\n", nil
}

// taskScript is the batch script of a task, after its options: it runs the command of the shard,
// and asks for another start if the time limit has ended it and the command gain finds that the
// start was of use. Slurm sends USR1 for the time limit alone, so a task that is cancelled is
// not started again. A signal ends the wait of a shell, not its child, so it waits once more.
func taskScript(shard, gain string, requeue int) string {
	return `limit= asked= child=
end() { asked=yes; [ -z "$child" ] || kill -TERM $child; }
trap 'limit=met; end' USR1
trap end TERM
` + shard + ` &
child=$!
[ -z "$asked" ] || end
wait $child; status=$?
while [ $status -gt 128 ] && kill -0 $child 2> /dev/null; do wait $child; status=$?; done
[ "$limit" ] && [ $status -eq ` + strconv.Itoa(exitTerminated) + ` ] || exit $status
` + gain + ` || { echo "qats: not requeued: nothing new was stored since the last start; give the tasks more time" >&2; exit $status; }
[ "${SLURM_RESTART_COUNT:-0}" -lt ` + strconv.Itoa(requeue) + ` ] || { echo "qats: not requeued: started again ${SLURM_RESTART_COUNT:-0} times, of at most ` + strconv.Itoa(requeue) + `" >&2; exit $status; }
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

// endBefore is how many seconds before its time limit a task is asked to end.
const endBefore = 30

// sbatch submits a script and returns the id of the job.
func sbatch(script string, options []string) (string, error) {
	cmd := exec.Command("sbatch", append([]string{"--parsable"}, options...)...)
	cmd.Stdin = strings.NewReader(script)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("sbatch: %w: %s", err, strings.Join(strings.Fields(said.String()), " "))
	}
	id, _, _ := strings.Cut(strings.TrimSpace(string(out)), ";") // a cluster may follow
	return id, nil
}

// maxArraySize returns the limit of the Slurm of this machine; ok is false if there is no
// Slurm to ask.
func maxArraySize() (n int, ok bool) {
	out, err := exec.Command("scontrol", "show", "config").Output()
	if err != nil {
		return 0, false
	}
	m := regexp.MustCompile(`MaxArraySize\s*=\s*(\d+)`).FindSubmatch(out)
	if m == nil {
		return 0, false
	}
	n, err = strconv.Atoi(string(m[1]))
	return n, err == nil
}
