package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"golang.org/x/term"
)

func runCommand() *cobra.Command {
	var at places
	var use resources
	var shard string
	cmd := &cobra.Command{
		Use:   "run SPEC...",
		Short: "Fit and score what is missing, and write results.csv, bins.csv and pairs.csv",
		Long: `run fits and scores the cells of the specs that are not in the store yet, and
writes results.csv, bins.csv and pairs.csv. The files hold the cells of the given
specs and no others, in the order of the plan.

Ctrl-C keeps finished cells; the same command continues the run. With --shard i/n,
run does part i of n and writes no CSV file; a run without --shard on the same
store then puts the parts together. If a calibration set is larger than
--max-memory, methods with one temperature and methods by rank, such as ts and
qats, read it again in every pass, with the same result.`,
		Example: `  qats run experiments/example.yaml
  qats run experiments/real.yaml --data arrays --out results/out/real
  qats run experiments/real.yaml --data arrays --shard 1/4`,
		Args: specArgs,
		RunE: func(cmd *cobra.Command, files []string) error {
			o, err := use.options(at.fresh)
			if err != nil {
				return err
			}
			if o.Shard, err = parseShard(shard); err != nil {
				return err
			}
			specs, err := spec.ReadAll(files, experiments.Registry())
			if err != nil {
				return err
			}
			return execute(cmd, &at, specs, at.out, o, cmd.OutOrStdout())
		},
	}
	at.flags(cmd)
	use.flags(cmd)
	cmd.Flags().StringVar(&shard, "shard", "", "do only part i of n, as in 1/4")
	return cmd
}

// resources are the flags that say how much of the machine a run may use.
type resources struct {
	workers int
	memory  string
}

func (r *resources) flags(cmd *cobra.Command) {
	cmd.Flags().IntVar(&r.workers, "workers", runtime.NumCPU(), "number of settings at a time; the results do not depend on it")
	cmd.Flags().StringVar(&r.memory, "max-memory", "4GiB", "memory for arrays, as in 512MiB or 6GiB")
}

func (r *resources) options(fresh bool) (experiments.RunOptions, error) {
	memory, err := parseBytes(r.memory)
	return experiments.RunOptions{Workers: r.workers, Memory: memory, Fresh: fresh}, err
}

// execute plans and runs specs, writes the CSV files into dir and prints a summary
// to w. A shard writes no files.
func execute(cmd *cobra.Command, at *places, specs []*spec.Spec, dir string, o experiments.RunOptions, w io.Writer) error {
	at.memory = o.Memory
	plan, err := at.plan(cmd, specs)
	if err != nil {
		return err
	}
	bar := newProgress(cmd.ErrOrStderr())
	o.Progress = bar.show
	out, err := plan.Run(cmd.Context(), o)
	bar.finish()
	if err != nil {
		return err
	}
	if o.Shard.N == 0 {
		if err := out.Rows.Write(dir); err != nil {
			return err
		}
	}
	summary(w, plan, out, o.Shard)
	if o.Shard.N == 0 {
		fmt.Fprintf(w, "wrote %s, bins.csv and pairs.csv\n", filepath.Join(dir, "results.csv"))
	}
	if out.Failed > 0 {
		for _, line := range out.Failures {
			fmt.Fprintln(cmd.ErrOrStderr(), "qats:", line)
		}
		return errFailed
	}
	return nil
}

// summary prints how many settings and cells there are, and what was done.
func summary(w io.Writer, plan *experiments.Plan, out *experiments.Outcome, shard experiments.Shard) {
	measured, simulated, absent := plan.Measured()
	part := ""
	if shard.N != 0 {
		part = fmt.Sprintf(" (part %d of %d)", shard.I, shard.N)
	}
	fmt.Fprintf(w, "%d settings%s: %d measured, %d simulated, %d without arrays\n",
		len(plan.Units), part, measured, simulated, absent)
	fmt.Fprintf(w, "%d cells: %d ok, %d skipped, %d failed; %d fitted and %d scored now, the rest from the store\n",
		out.Cells, out.Cells-out.Skipped-out.Failed, out.Skipped, out.Failed, out.Fitted, out.Scored)
}

// parseShard reads i/n with 1 <= i <= n.
func parseShard(s string) (experiments.Shard, error) {
	if s == "" {
		return experiments.Shard{}, nil
	}
	a, b, _ := strings.Cut(s, "/")
	i, err1 := strconv.Atoi(a)
	n, err2 := strconv.Atoi(b)
	if err1 != nil || err2 != nil || i < 1 || i > n {
		return experiments.Shard{}, fmt.Errorf("--shard %s: write i/n with 1 <= i <= n, as in 1/4", s)
	}
	return experiments.Shard{I: i, N: n}, nil
}

// parseBytes reads a size in bytes with an optional unit KiB, MiB or GiB.
func parseBytes(s string) (int64, error) {
	number, unit := s, int64(1)
	for suffix, size := range map[string]int64{"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30} {
		if strings.HasSuffix(s, suffix) {
			number, unit = strings.TrimSuffix(s, suffix), size
		}
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || math.IsNaN(n) || n*float64(unit) < 1 || n*float64(unit) > 1<<60 {
		return 0, fmt.Errorf("--max-memory %s: write a size as in 512MiB or 6GiB", s)
	}
	return int64(n * float64(unit)), nil
}

// describedBytes is the length of the setting's name, which is ASCII, before the
// bar. It keeps the line below 80 columns, because a line that wraps is not
// cleared.
const describedBytes = 26

// progress is a bar on a terminal. Elsewhere it prints nothing.
type progress struct {
	w   io.Writer
	bar *progressbar.ProgressBar
}

func newProgress(w io.Writer) *progress {
	if f, ok := w.(*os.File); !ok || !term.IsTerminal(int(f.Fd())) {
		return &progress{}
	}
	return &progress{w: w}
}

func (p *progress) show(at experiments.Progress) {
	if p.w == nil {
		return
	}
	if p.bar == nil {
		p.bar = progressbar.NewOptions(at.Total,
			progressbar.OptionSetWriter(p.w), progressbar.OptionSetDescription("cells"),
			progressbar.OptionShowCount(), progressbar.OptionSetPredictTime(true),
			progressbar.OptionSetWidth(16), progressbar.OptionClearOnFinish())
	}
	p.bar.Describe(at.Setting[:min(len(at.Setting), describedBytes)])
	p.bar.Set(at.Done)
}

func (p *progress) finish() {
	if p.bar != nil {
		p.bar.Finish()
	}
}
