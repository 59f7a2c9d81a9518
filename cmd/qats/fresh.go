package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/experiments/submission"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/internal/terminal"
	"github.com/qats-bench/qats/results/leaderboard"
)

func freshCommand() *cobra.Command {
	var f fresh
	cmd := &cobra.Command{
		Use:   "fresh [DIR]",
		Short: "Compare gains on public labels and on labels drawn anew",
		Long: `fresh draws the labels of public logits anew, and compares gains on public and drawn labels: of the
entry in DIR, or of the methods of the project. It is simulated and ranks nothing.`,
		Example: examples("board fresh --round 1 submissions/mine"),
		Args:    arguments(0, 1),
		RunE:    func(cmd *cobra.Command, args []string) error { return f.do(cmd, args) },
	}
	flags := cmd.Flags()
	flags.IntVar(&f.round, "round", submission.Rehearsal, "`N` of the round; 0 is a rehearsal")
	flags.StringVar(&f.at.out, "out", filepath.Join("results", "out", "fresh"), "`DIR` of the run")
	dataFlag(cmd, &f.at.Data)
	workersFlag(cmd, &f.workers)
	flags.BoolVar(&f.trusted, "not-isolated", false, "run the code with your rights")
	return cmd
}

// fresh holds the flags of board fresh.
type fresh struct {
	at      places
	workers int
	work    string // folder of the code of an entry
	round   int
	trusted bool
}

func (f *fresh) do(cmd *cobra.Command, args []string) error {
	folder := registryOf(submission.Version)
	round, err := submission.ReadRound(folder, f.round)
	if err != nil {
		return err
	}
	before, err := folder.ReadRound(f.round)
	if err != nil {
		return err
	}
	tier, err := submission.ReadTier(submission.Version, submission.Lite)
	if err != nil {
		return err
	}
	if len(args) > 0 {
		work, err := workFolder(&f.at, cmd, filepath.Base(args[0]))
		if err != nil {
			return err
		}
		defer removeAll(work)
		defer inFolder(work)()
		f.work = work
	}
	methods, card, err := f.prepare(cmd, tier, round, before, args)
	if err != nil {
		return err
	}
	labels := filepath.Join(f.at.out, "labels", strconv.Itoa(f.round)+"-"+round.Seed()[:8])
	drawn, err := tier.Relabel(cmd.Context(), f.at.Data, round.Seed(), labels, f.workers)
	if err != nil {
		return err
	}
	runs := submission.Fresh{Labels: drawn}
	if runs.Public, err = f.run(cmd, tier.Scored(methods), leaderboard.PublicLabels); err != nil {
		return err
	}
	for _, reference := range submission.References() {
		plan, err := f.run(cmd, tier.Scored(methods).From(nil), reference, drawn.Arrays(reference))
		if err != nil {
			return err
		}
		runs.Drawn = append(runs.Drawn, plan)
	}
	names := lists.Values(methods, func(m spec.Method) string { return m.Name })
	judged := names[1:] // TS is the first
	if card != "" {
		judged = names[len(names)-1:]
	}
	found, err := runs.Judge(judged)
	if err != nil {
		return err
	}
	for i := range found {
		found[i].Card = card
	}
	digest, err := drawn.Digest(tier)
	if err != nil {
		return err
	}
	if err := leaderboard.FreshTable(f.round, found).Text(cmd.OutOrStdout(), widthOf(cmd.OutOrStdout())); err != nil {
		return err
	}
	terminal.Fprintf(unlessQuiet(cmd), "labels of round %d: %s\n", f.round, digest)
	if card != "" && f.round == submission.Rehearsal {
		return nil
	}
	all := slices.DeleteFunc(before, func(b leaderboard.Fresh) bool {
		return slices.ContainsFunc(found, func(m leaderboard.Fresh) bool { return m.Method == b.Method })
	})
	if err := folder.WriteRound(f.round, append(all, found...)); err != nil {
		return err
	}
	terminal.Fprintf(unlessQuiet(cmd), "wrote %s\n", folder.Round(f.round))
	return nil
}

// prepare returns methods of the project, TS first, and the entry behind them. card is the digest of that of the entry.
func (f *fresh) prepare(cmd *cobra.Command, tier *submission.Tier, round submission.Round, before []leaderboard.Fresh, args []string) (methods []spec.Method, card string, err error) {
	if len(args) == 0 {
		methods, err = tier.OfLogitsAlone(nil)
		return methods, "", err
	}
	entry, err := submission.Read(args[0])
	if err != nil {
		return nil, "", err
	}
	name := entry.Card.Name
	if len(entry.Card.Contract.Needs) > 0 {
		return nil, "", fmt.Errorf("%s is not judged: the drawn labels depend on the logits alone, and it reads more", name)
	}
	if err := round.Admits(cmd.Context(), args[0]); err != nil {
		return nil, "", err
	}
	if f.round != submission.Rehearsal && slices.ContainsFunc(before, func(b leaderboard.Fresh) bool { return b.Method == name }) {
		return nil, "", fmt.Errorf("%s has had its try in round %d: it waits for the next round", name, f.round)
	}
	if card, err = entry.CardDigest(); err != nil {
		return nil, "", err
	}
	iso, err := isolationFor(cmd.Context(), args[0], f.trusted)
	if err != nil {
		return nil, "", err
	}
	p, err := prepared(cmd.Context(), entry.Card, entry.Code, f.work, iso)
	if err != nil {
		return nil, "", err
	}
	f.at.AllowExec, f.at.Programs = true, p.Programs
	if methods, err = tier.OfLogitsAlone(nil); err != nil {
		return nil, "", err
	}
	return append(methods, p.Method), card, nil
}

// run runs a tier on some labels, with the store that all labels share, and returns its plan. arrays are in the place of the folders of
// the user.
func (f *fresh) run(cmd *cobra.Command, tier *submission.Tier, labels string, arrays ...string) (*experiments.Plan, error) {
	at := f.at
	at.store, at.out = at.storeDir(), filepath.Join(at.out, labels)
	specs := []*spec.Spec{tier.Spec}
	if arrays != nil {
		at.Data = arrays
	}
	err := execute(cmd, &at, specs, at.out, experiments.RunOptions{Workers: f.workers}, io.Discard)
	if err != nil && !errors.Is(err, errFailed) {
		return nil, err
	}
	return at.plan(cmd, specs)
}
