package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/qats-bench/qats/experiments/submission"
	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/internal/terminal"
	"github.com/qats-bench/qats/results"
)

// aloneSettings is the number of settings that run again, each alone.
const aloneSettings = 3

// shownCells is the number of cells that verify prints.
const shownCells = 10

func verifyCommand() *cobra.Command {
	var v verifying
	cmd := &cobra.Command{
		Use:   "verify DIR",
		Short: "Run the code of an entry again, and compare its numbers",
		Long: `verify runs the code of the entry in DIR again, and says of each number that it is equal, agrees,
differs or was not run. The code runs isolated, by bubblewrap. The status is 1 if some numbers
differ or were not run.`,
		Example: examples(
			"board verify submissions/mine",
			"board verify submissions/mine --splits 20 --draw 3f2a9c1 --record ~/.ssh/id_ed25519",
		),
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error { return v.run(cmd, args[0]) },
	}
	f := cmd.Flags()
	v.at.entryFlags(cmd)
	workersFlag(cmd, &v.workers)
	ofRun(cmd, "Flags of the run")
	f.BoolVar(&v.trusted, "not-isolated", false, "run the code with your rights where it cannot be isolated, if you have read it")
	f.IntVar(&v.splits, "splits", 0, "redraw calibration and test rows `N` times")
	f.StringVar(&v.commit, "draw", "", "`COMMIT` that the draws follow from")
	f.StringVar(&v.key, "record", "", "write a record, signed with the ssh key in `FILE`")
	f.StringVar(&v.records.Dir, "records", recordsDir, "`DIR` of the records")
	cmd.MarkFlagDirname("records")
	return cmd
}

// verifying holds the flags of board verify.
type verifying struct {
	at      places
	workers int
	trusted bool
	splits  int
	commit  string
	key     string
	records submission.Records
}

func (v *verifying) run(cmd *cobra.Command, dir string) error {
	if (v.splits == 0) != (v.commit == "") || v.splits < 0 || v.splits > 100 {
		return usage("--splits %d --draw %q: give 1 to 100 draws and the commit that they follow from, or neither", v.splits, v.commit)
	}
	entry, err := submission.Read(dir)
	if err != nil {
		return err
	}
	if v.splits > 0 {
		if v.commit, err = submission.NewerCommit(cmd.Context(), dir, v.commit); err != nil {
			return fmt.Errorf("--draw: %w", err)
		}
	}
	tier, err := submission.ReadTier(entry.Card.Protocol, entry.Card.Tier)
	if err != nil {
		return err
	}
	work, err := workFolder(&v.at, cmd, entry.Card.Name)
	if err != nil {
		return err
	}
	defer removeAll(work)
	defer inFolder(work)()
	iso, err := isolationFor(cmd.Context(), dir, v.trusted)
	if err != nil {
		return err
	}
	card := *entry.Card
	p, err := prepared(cmd.Context(), &card, entry.Code, work, iso)
	if err != nil {
		return err
	}
	fmt.Fprintf(unlessQuiet(cmd), "%s: the code has at most %.0f h of processor time on %s\n", entry.Card.Name, card.Longest(len(tier.Spec.Settings)).Hours(), english.Count(len(tier.Spec.Settings), "setting"))
	rows, fits, failed, err := v.at.runEntry(cmd, tier, p, v.workers)
	if err != nil {
		return err
	}
	if v.at.quick {
		fmt.Fprintln(unlessQuiet(cmd), "--quick: the code runs; nothing is verified")
		return failed
	}
	compared := submission.Compare(entry, rows.Records, fits)
	problems := v.problems(entry, &card, rows)
	names := submission.DrawnNames(cmp.Or(v.commit, entry.Card.Digests.Code), aloneSettings, clean(rows).Settings)
	changes, err := p.Alone(cmd.Context(), tier, names, v.at.Data, work, rows.Records)
	if err != nil {
		return err
	}
	if len(changes) > 0 {
		problems = append(problems, fmt.Sprintf("%s of the run not found where a setting runs alone; the first: %s", english.Count(len(changes), "number"), changes[0]))
	}
	verdict := compared.Counts.Verdict(card.Language)
	if len(problems) > 0 {
		verdict = submission.Differs
	}
	v.say(cmd, entry, compared, verdict, problems, iso != nil, card.Platform)
	record := submission.Record{Verdict: verdict, Numbers: compared.Counts, Isolated: iso != nil, Platform: card.Platform}
	good := verdict == submission.Equal || verdict == submission.Agrees
	if v.splits > 0 && good {
		if record.Draws, err = v.draw(cmd, tier, p, entry.Card.Name); err != nil {
			return err
		}
	}
	if v.key != "" {
		if err := v.records.Write(cmd.Context(), entry, record, v.key); err != nil {
			return err
		}
		terminal.Fprintf(unlessQuiet(cmd), "wrote the signed record of %s into %s\n", entry.Card.Name, v.records.Dir)
	}
	if !good {
		return errFailed
	}
	return nil
}

// isolationFor returns the isolation in which the code of an entry runs; nil where this system has none, and trusted says that the
// user has read the code.
func isolationFor(ctx context.Context, entry string, trusted bool) (*submission.Isolation, error) {
	iso, err := submission.FindIsolation(ctx)
	switch {
	case err == nil:
		return iso, nil
	case !errors.Is(err, submission.ErrNotIsolated):
		return nil, err
	case !trusted:
		return nil, fmt.Errorf("the code of %s is %w here; --not-isolated runs it with your rights, if you have read it", entry, err)
	}
	return nil, nil
}

// problems says what differs beside the numbers: arrays, and the contract.
func (v *verifying) problems(e *submission.Entry, measured *submission.Card, rows *results.Rows) (list []string) {
	if submission.InputsDigest(rows.Settings) != e.Card.Digests.Inputs {
		list = append(list, "the arrays here are not those that the entry ran on")
	}
	if e.Card.Contract.KeepsTop1 && changesTop1(e.Card.Name, rows.Records) {
		list = append(list, "the card says that the predicted class of every row stays, and some changed")
	}
	if e.Card.Language == submission.Go && strings.Join(measured.Contract.Needs, " ") != strings.Join(e.Card.Contract.Needs, " ") {
		list = append(list, fmt.Sprintf("the card says that it needs %q, and the method %q", e.Card.Contract.Needs, measured.Contract.Needs))
	}
	return list
}

// say prints what the verification found.
func (v *verifying) say(cmd *cobra.Command, e *submission.Entry, c submission.Compared, verdict submission.Verdict, problems []string, isolated bool, platform string) {
	w := unlessQuiet(cmd)
	where := "isolated"
	if !isolated {
		where = "not isolated"
	}
	n := c.Counts
	say(w, "%s, protocol %s: %s. Of its numbers %d are equal, %d agree, %d differ and %d were not run (%s; %s; submitted from %s).",
		e.Card.Name, e.Card.Protocol, verdict, n.Equal, n.Agrees, n.Differs, n.NotRun, where, platform, e.Card.Platform)
	for _, p := range problems {
		say(w, "differs: %s", p)
	}
	left := shownCells
	for _, of := range []submission.Verdict{submission.Differs, submission.NotRun} {
		for _, cell := range c.Of(of) {
			if left--; left < 0 {
				continue
			}
			say(w, "%s: %s on %s: claimed %.9g, measured %.9g", of, cell.Metric, cell.Setting.Name(), cell.Claimed, cell.Measured)
		}
	}
	if left < 0 {
		say(w, "and %s more", english.Count(-left, "number"))
	}
	if c.Fits > 0 {
		say(w, "%s whose bytes differ from the entry's, which is not judged", english.Count(c.Fits, "fit"))
	}
}

// draw runs the drawn splits, and writes the means over them: with --record beside the record.
func (v *verifying) draw(cmd *cobra.Command, tier *submission.Tier, p *submission.Prepared, name string) (*submission.Drawn, error) {
	at := v.at
	at.store, at.out = at.storeDir(), filepath.Join(at.out, "drawn")
	drawn := tier.Draws(v.commit, v.splits)
	rows, _, _, err := at.runEntry(cmd, drawn, p, v.workers)
	if err != nil {
		return nil, err
	}
	means := submission.Means(rows.Records)
	to := submission.Records{Dir: at.out}
	if v.key != "" {
		to = v.records
	}
	path := to.Means(name)
	if err := os.MkdirAll(to.Dir, 0o777); err != nil {
		return nil, err
	}
	if err := results.WriteEntry(path, tier.Metrics(), means); err != nil {
		return nil, err
	}
	terminal.Fprintf(unlessQuiet(cmd), "%s: means over %d draws by commit %s\n", path, v.splits, v.commit)
	return &submission.Drawn{Commit: v.commit, N: v.splits}, nil
}
