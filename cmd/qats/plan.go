package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/folder"
	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/internal/called"
	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/internal/terminal"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/table"
)

// places are the flags for folders and the other inputs of a plan.
type places struct {
	experiments.PlanOptions // the method plan sets Store, Digests, Memory and First, a run Task
	out, store              string

	memory memory // 0 for the default
	json   bool   // a run prints its summary as JSON
	quick  bool   // only quickRows of each set

	assemble int // tasks whose cells a run puts together; 0 for one that does what is missing

	older bool // the method plan found a store of an earlier version

	are string // what the settings are, where the command has said it; a summary then does not count them
}

// flags declares the flags of a run.
func (p *places) flags(cmd *cobra.Command) {
	p.sourceFlags(cmd)
	freshFlag(cmd, &p.Fresh)
}

// sourceFlags declares the flags that say what is looked for where.
func (p *places) sourceFlags(cmd *cobra.Command) {
	dataFlag(cmd, &p.Data)
	p.outFlags(cmd)
	cmd.Flags().BoolVar(&p.AllowExec, "allow-exec", false, "run the programs that the specs name; only for specs that you trust")
	cmd.Flags().StringArrayVar(&p.Env, "env", nil, "`NAME` of a variable that these programs get; repeatable")
}

// outFlags declares --out and --store.
func (p *places) outFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&p.out, "out", filepath.Join("results", "out"), "`DIR` of the results")
	cmd.Flags().StringVar(&p.store, "store", "", "`DIR` of the fits and scores of earlier runs (default OUT/store)")
	cmd.MarkFlagDirname("out")
	cmd.MarkFlagDirname("store")
}

// dataFlag declares --data, which sets folders.
func dataFlag(cmd *cobra.Command, folders *[]string) {
	cmd.Flags().StringArrayVar(folders, "data", nil, "`DIR` of arrays, searched before the sources of the specs; repeatable")
	cmd.MarkFlagDirname("data")
}

// freshFlag declares --fresh.
func freshFlag(cmd *cobra.Command, fresh *bool) {
	cmd.Flags().BoolVar(fresh, "fresh", false, "compute everything again, and take nothing from the store")
}

// quickFlag declares --quick.
func (p *places) quickFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&p.quick, "quick", false, fmt.Sprintf("only the first %d rows of each set: a check, no result", quickRows))
}

// storeDir is the folder of the store.
func (p *places) storeDir() string { return cmp.Or(p.store, filepath.Join(p.out, "store")) }

// plan looks the cells of specs up in the store. A look changes nothing.
func (p *places) plan(cmd *cobra.Command, specs []*spec.Spec) (*experiments.Plan, error) {
	dir := p.storeDir()
	open := results.Open
	if p.Look {
		open = results.OpenToRead
	} else if err := cmp.Or(writable("--out", p.out), writable("--store", dir), p.checkEnv(os.LookupEnv)); err != nil {
		return nil, err
	}
	store, err := open(dir)
	if err != nil {
		return nil, err
	}
	digests, err := folder.OpenDigests(filepath.Join(dir, "digests.txt"))
	if err != nil {
		return nil, err
	}
	p.older = digests.Older()
	o := p.PlanOptions
	o.Store, o.Digests, o.Memory = store, digests, p.memory.bytes
	if p.quick {
		o.First = quickRows
	}
	return experiments.MakePlan(cmd.Context(), specs, o)
}

// checkEnv returns an error if --env does not name a variable of the environment, or if no
// program may be run that could get it.
func (p *places) checkEnv(lookup func(name string) (string, bool)) error {
	if len(p.Env) > 0 && !p.AllowExec {
		return errors.New("--env is for programs, which only --allow-exec runs; give both or neither")
	}
	for _, name := range p.Env {
		switch _, ok := lookup(name); {
		case name == "" || strings.Contains(name, "="):
			return fmt.Errorf("--env %s: give only the name; the program gets the value that the variable has here", name)
		case !ok:
			return fmt.Errorf("--env %s: no such variable is set", name)
		}
	}
	return nil
}

// writable returns an error if no file can be made in dir, or in the folder that dir
// would be made in: a run must not find that out after an hour of fits.
func writable(flag, dir string) error {
	at := filepath.Clean(dir)
	for at != filepath.Dir(at) {
		info, err := os.Stat(at)
		if err == nil && !info.IsDir() {
			return fmt.Errorf("%s %s: %s is a file and no folder; name another folder by %s", flag, dir, at, flag)
		}
		if err == nil {
			break
		}
		at = filepath.Dir(at)
	}
	f, err := os.CreateTemp(at, ".qats-writable-*")
	if err == nil {
		f.Close()
		return os.Remove(f.Name())
	}
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return fmt.Errorf("%s %s: no file can be made in %s (%w); name a folder of yours by %s", flag, dir, at, err, flag)
}

// preview prints what a run of the specs, or a task of it, would do, as text or JSON.
func (p *places) preview(cmd *cobra.Command, files []string, specs []*spec.Spec) error {
	p.Look = true
	plan, err := p.plan(cmd, specs)
	if err != nil {
		return err
	}
	if p.json {
		return planJSON(cmd.OutOrStdout(), plan)
	}
	if err := planText(cmd.OutOrStdout(), plan); err != nil {
		return err
	}
	if err := printSlow(cmd.Context(), cmd.OutOrStdout(), plan); err != nil {
		return err
	}
	if n := plan.CountSettings(); n.Absent < n.Settings {
		p.nextAfterPlan(cmd, plan, specs, files)
	}
	return nil
}

// specArgs requires at least one spec.
func specArgs(cmd *cobra.Command, args []string) error {
	name := commandName(cmd)
	if len(args) == 0 {
		return usage("%s needs a spec, as in: "+called.Command()+" %s experiments/example.yaml", name, name)
	}
	return notArrays(name+" takes specs", args, false)
}

// planText prints a line for each setting, with a line for each different reason,
// and the totals.
func planText(w io.Writer, plan *experiments.Plan) error {
	for _, i := range plan.Part {
		u := &plan.Units[i]
		byState := map[experiments.State]int{}
		for _, c := range u.Cells {
			byState[c.State]++
		}
		terminal.Fprintf(w, "%s %s (%s):%s\n", u.Spec.Name, u.Setting, cmp.Or(u.Provenance.Origin, "absent"), countText(byState))
		type group struct {
			state experiments.State
			why   results.Note
		}
		groups, cells := lists.Group(u.Cells, func(c experiments.Cell) group { return group{c.State, c.Why} })
		for _, g := range groups {
			if g.state != experiments.Hit {
				names := lists.Values(cells[g], func(c experiments.Cell) string { return c.Method.Name })
				terminal.Fprintf(w, "    %-5s %s: %s\n", g.state, experiments.Few(names, 4), g.why)
			}
		}
	}
	_, err := fmt.Fprintf(w, "%s; cells:%s\n", settingsText(plan.CountSettings(), ""), countText(plan.Counts()))
	if n := len(plan.Unhashed); n > 0 {
		bytes := int64(0)
		for _, size := range plan.Unhashed {
			bytes += size
		}
		_, err = fmt.Fprintf(w, "not hashed yet: %s, %.1f GB\n", english.Count(n, "file"), float64(bytes)/1e9)
	}
	printManifests(w, plan)
	for _, line := range plan.Absent() {
		terminal.Fprintf(w, "%s\n", line)
	}
	return err
}

// printManifests prints which manifests of folders above the arrays were read, and what they say.
func printManifests(w io.Writer, plan *experiments.Plan) {
	for _, m := range plan.Manifests() {
		terminal.Fprintf(w, "%s\n", m)
	}
}

// countText prints the number of cells in each state, in a fixed order.
func countText(n map[experiments.State]int) string {
	text := ""
	for _, s := range []experiments.State{experiments.Hit, experiments.Score, experiments.Miss, experiments.Unknown, experiments.Skip, experiments.Broken} {
		if n[s] > 0 {
			text += fmt.Sprintf(" %d %s", n[s], s)
		}
	}
	return text
}

// planCell is one line of run --dry-run --json.
type planCell struct {
	results.Setting
	Method string            `json:"method"`
	Source data.Origin       `json:"source"`
	State  experiments.State `json:"state"`
	Why    string            `json:"why,omitempty"`
}

func planJSON(w io.Writer, plan *experiments.Plan) error {
	var cells []planCell
	for _, i := range plan.Part {
		u := &plan.Units[i]
		for _, c := range u.Cells {
			cells = append(cells, planCell{u.Setting.Setting, c.Method.Name, u.Provenance.Origin, c.State, c.Why.String()})
		}
	}
	return table.WriteJSON(w, cells)
}
