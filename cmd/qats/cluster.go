package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/experiments/cluster"
	"github.com/qats-bench/qats/internal/called"
	"github.com/qats-bench/qats/internal/terminal"
)

// clusterFlags are the flags of qats cluster script and submit.
type clusterFlags struct {
	at       places
	tests    int
	tasks    int
	throttle int
	cpus     int
	time     string
	mem      memory // of a task
	requeue  int
	report   bool
	system   system
	submit   bool

	image, to, copy string // of tasks that share no disk
}

// system is what spreads and starts tasks.
type system string

const (
	slurm       system = "slurm"
	snakemake   system = "snakemake"
	gnuParallel system = "parallel"
	nextflow    system = "nextflow"
	awsBatch    system = "aws-batch"
	kubernetes  system = "kubernetes"
)

// clusterCommand has the commands of a run that is divided among the tasks of a cluster.
func clusterCommand() *cobra.Command {
	return commandOf(&cobra.Command{
		Use:   "cluster",
		Short: "A run on a cluster: print or submit its tasks, merge them, say how far it is",
		Long:  `cluster has the commands of a run that is divided into tasks.`,
		Example: examples(
			"cluster script experiments/companion.yaml --out results/out/companion",
			"cluster status experiments/companion.yaml --out results/out/companion",
		),
	}, scriptCommand(), submitCommand(), statusCommand(), packCommand(), mergeCommand())
}

func scriptCommand() *cobra.Command {
	f := clusterFlags{system: slurm}
	cmd := &cobra.Command{
		Use:   "script SPEC... --out DIR",
		Short: "Print a run as the tasks of Slurm or another system",
		Long: `script prints the tasks of a run, and the job that puts them together, as two batch scripts of
Slurm, or as one file for another system. Time and memory of a task follow from the largest one that
was measured.`,
		Example: examples(
			"cluster script experiments/companion.yaml --out results/out/companion --at-once 8",
			"cluster script experiments/companion.yaml --out results/out/companion --for snakemake > Snakefile",
		),
		ValidArgsFunction: completeSpecs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.ArgsLenAtDash() >= 0 {
				return usage("%s", "words after -- are for sbatch, which "+called.Command()+" cluster submit starts: leave them out")
			}
			if err := specArgs(cmd, args); err != nil {
				return err
			}
			return f.run(cmd, args, nil)
		},
	}
	f.flags(cmd)
	choiceFlag(cmd, &f.system, "for", []system{slurm, snakemake, gnuParallel, nextflow, awsBatch, kubernetes}, "`SYSTEM` that starts the tasks")
	cmd.Flags().StringVar(&f.image, "image", "", "`NAME` of a container of the last three")
	cmd.Flags().StringVar(&f.to, "to", "", "`URL` of a folder for packs, of the last two")
	cmd.Flags().StringVar(&f.copy, "copy", "aws s3 cp", "`COMMAND` that copies a file there")
	return cmd
}

func submitCommand() *cobra.Command {
	f := clusterFlags{system: slurm, submit: true}
	cmd := &cobra.Command{
		Use:   "submit SPEC... --out DIR [-- SBATCH OPTIONS]",
		Short: "Submit a run as a Slurm array and the job that puts it together",
		Long: `submit gives sbatch the two scripts that cluster script prints. Words after -- are given to sbatch
for both jobs.`,
		Example:           examples("cluster submit experiments/companion.yaml --out results/out/companion -- --time=01:00:00"),
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
	explainedBy(cmd, "cluster script", "Flags of the script", "at-once", "cpus", "mem", "report", "requeue", "tasks", "time")
	return cmd
}

func (f *clusterFlags) flags(cmd *cobra.Command) {
	f.at.flags(cmd)
	f.at.quickFlag(cmd)
	f.at.memory.flag(cmd)
	testsFlag(cmd, &f.tests)
	tasksFlag(cmd, &f.tasks)
	ofTasks(cmd)
	cmd.Flags().IntVar(&f.throttle, "at-once", 0, "at most `N` tasks at a time; 0 for no limit")
	cmd.Flags().IntVar(&f.cpus, "cpus", 1, "`N` processors for a task")
	cmd.Flags().StringVar(&f.time, "time", "", "`LIMIT` of a task as Slurm writes it, such as 02:00:00")
	cmd.Flags().Var(&f.mem, "mem", "`SIZE` of the memory of a task, such as 6GiB")
	cmd.Flags().IntVar(&f.requeue, "requeue", 10, "start a task that meets its limit again, at most `N` times")
	cmd.Flags().BoolVar(&f.report, "report", true, "render tables and figures at the end")
}

// slurmTime is a time limit of Slurm: minutes, minutes:seconds, hours:minutes:seconds, and so on
// with days before a dash.
var slurmTime = regexp.MustCompile(`^([0-9]+-)?[0-9]+(:[0-9]+){0,2}$`)

func (f *clusterFlags) run(cmd *cobra.Command, files, options []string) error {
	switch {
	case f.throttle < 0:
		return fmt.Errorf("--at-once %d: want 0 or more", f.throttle)
	case f.cpus < 1:
		return fmt.Errorf("--cpus %d: want 1 or more", f.cpus)
	case f.time != "" && !slurmTime.MatchString(f.time):
		return fmt.Errorf("--time %s: write minutes or hours:minutes:seconds, as in 90 or 02:00:00", f.time)
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
	n, err := taskNumber(specs, f.tests, f.tasks)
	if err != nil {
		return err
	}
	if most, ok := maxArraySize(); ok && n > most && f.system == slurm {
		return fmt.Errorf("%d tasks: an array of this Slurm has at most %d (MaxArraySize): give --tasks %d, or more --tests", n, most, most)
	}
	if err := f.checkApart(cmd, n); err != nil {
		return err
	}
	t, err := f.texts(cmd, files, n)
	if err != nil { // before anything is written
		return err
	}
	if _, err := f.at.plan(cmd, specs); err != nil { // which hashes the files
		return err
	}
	t.need = f.needOf(cmd, cluster.Records(f.at.storeDir(), f.at.runDigest(specs, f.tests), n))
	w := cmd.OutOrStdout()
	switch text := ""; {
	case f.system != slurm:
		switch f.system {
		case snakemake:
			text = t.snakefile()
		case gnuParallel:
			text = t.parallel()
		case nextflow:
			text, err = t.nextflow()
		case awsBatch:
			text, err = t.awsBatch()
		case kubernetes:
			text = t.kubernetes()
		}
		if err == nil {
			_, err = io.WriteString(w, text)
		}
		return err
	case !f.submit:
		_, err := fmt.Fprintf(w, "%s\n# Before it, for the logs: mkdir -p %s\n# After it, with --dependency=afterany:ID of the array:\n\n%s", t.array(), quote(f.logs()), t.assembly())
		return err
	}
	if err := os.MkdirAll(f.logs(), 0o777); err != nil {
		return err
	}
	first, err := sbatch(t.array(), options)
	if err != nil {
		return err
	}
	// Not afterok, which waits for ever after one killed task. A task that is requeued has not
	// ended.
	second, err := sbatch(t.assembly(), append(slices.Clone(options), "--dependency=afterany:"+first))
	if err != nil {
		return fmt.Errorf("the array is job %s, but the assembly is not submitted: %w", first, err)
	}
	_, err = terminal.Fprintf(w, "array %s of %d tasks, then job %s; "+called.Command()+" %s says how many cells are done\n",
		first, n, second, quoted(slices.Concat([]string{"cluster", "status"}, files, given(cmd, "data", "out", "store", "quick", "allow-exec", "env", "tests", "tasks"))))
	return err
}

func (f *clusterFlags) logs() string { return filepath.Join(f.at.out, "slurm") }

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
