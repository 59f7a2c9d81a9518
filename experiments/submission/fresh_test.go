package submission

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/folder"
	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/internal/bundletest"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/leaderboard"
)

// freshRun judges methods on some settings by a seed, with labels drawn below a new folder.
func freshRun(t *testing.T, tier *Tier, seed string, programs experiments.Programs, methods []spec.Method, judged ...string) []leaderboard.Fresh {
	t.Helper()
	labels := must[Relabelled](t)(tier.Relabel(t.Context(), nil, seed, t.TempDir(), 2))
	store := must[*results.Store](t)(results.Open(t.TempDir()))
	run := func(of *Tier, arrays ...string) *experiments.Plan {
		t.Helper()
		o := experiments.PlanOptions{Data: arrays, Store: store, Digests: &folder.Digests{}, AllowExec: true, Programs: programs}
		plan := must[*experiments.Plan](t)(experiments.MakePlan(t.Context(), []*spec.Spec{of.Spec}, o))
		if out := must[*experiments.Outcome](t)(plan.Run(t.Context(), experiments.RunOptions{Workers: 2})); out.Failed > 0 {
			t.Fatal(out.Reasons)
		}
		return plan
	}
	runs := Fresh{Labels: labels, Public: run(tier.Scored(methods))}
	for _, reference := range References() {
		runs.Drawn = append(runs.Drawn, run(tier.Scored(methods).From(nil), labels.Arrays(reference)))
	}
	return must[[]leaderboard.Fresh](t)(runs.Judge(judged))
}

// TestAMemoryOfRowsIsFound: a hash of rows gains on public labels alone, and is to be looked at. Nearest logits and a recogniser of the
// data set keep a part of their gain, so that the check need not find them: their gains are printed.
func TestAMemoryOfRowsIsFound(t *testing.T) {
	atRoot(t)
	needs(t, "python3", "-c", "import numpy")
	settings := []string{"chile/mlp", "phoneme/mlp", "satimage/mlp"}
	if testing.Short() {
		settings = settings[:1]
	}
	tier := must[*Tier](t)(ReadTier(Version, Lite)).Only(settings)
	folder := filepath.Join("experiments", "submission", "testdata", "memories")
	for _, name := range []string{"memo", "nearest", "recogniser"} {
		c := described(name, Python, name+".py", "public.py")
		c.Options = map[string]string{"bundle": must[string](t)(filepath.Abs(bundletest.Folder(t)))}
		code := Source{}
		for _, file := range c.Code {
			code[file] = must[[]byte](t)(os.ReadFile(filepath.Join(folder, file)))
		}
		p := must[*Prepared](t)(Prepare(t.Context(), c, code, t.TempDir(), nil))
		beside := must[[]spec.Method](t)(tier.OfLogitsAlone([]string{"@fast"}))
		found := freshRun(t, tier, "a seed", p.Programs, append(beside, p.Method), name)
		if len(found) != 1 || found[0].Method != name || found[0].Rows[0].Settings != len(settings) {
			t.Fatalf("%+v", found)
		}
		m := found[0]
		for _, r := range m.Rows {
			t.Logf("%s to TS on %s labels: NLL %+.4f, Brier score %+.4f, true calibration error %+.4f", name, r.Labels, r.NLL, r.Brier, r.Error)
		}
		switch {
		case m.ToBeLookedAt():
			t.Logf("%s is to be looked at: p = %.3g, by %s on %s", name, m.Holm, m.Score, m.At)
		case name == "memo":
			t.Error("a hash of rows passes")
		default:
			t.Logf("%s: this check does not find it", name)
		}
	}
}

// TestCommittedRoundsPass: no method of the project is to be looked at in a round that is committed.
func TestCommittedRoundsPass(t *testing.T) {
	folder := leaderboard.Folder(filepath.Join("..", "..", "results", "leaderboard", FolderOf(Version)))
	rounds := folder.Rounds()
	if len(rounds) == 0 {
		t.Fatal("no round")
	}
	for _, n := range rounds {
		methods := must[[]leaderboard.Fresh](t)(folder.ReadRound(n))
		own := lists.Where(methods, func(m leaderboard.Fresh) bool { return m.Card == "" })
		if len(own) < 40 {
			t.Errorf("round %d has %d methods of the project", n, len(own))
		}
		for _, m := range own {
			if m.ToBeLookedAt() {
				t.Errorf("round %d: %s is to be looked at: %s on %s, p = %g", n, m.Method, m.Score, m.At, m.Holm)
			}
		}
	}
}

// TestMethodsOfLogitsPass on a few settings. The rounds that are committed have them on many.
func TestMethodsOfLogitsPass(t *testing.T) {
	atRoot(t)
	tier := must[*Tier](t)(ReadTier(Version, Lite)).Only(small)
	methods := must[[]spec.Method](t)(tier.OfLogitsAlone([]string{"@fast"}))
	names := lists.Values(methods[1:], func(m spec.Method) string { return m.Name })
	for _, m := range freshRun(t, tier, "a seed", experiments.Programs{}, methods, names...) {
		if !m.Judged() || m.ToBeLookedAt() {
			t.Errorf("%s: %+v", m.Method, m)
		}
	}
}

// TestDrawnLabelsHaveTheSameBytesEverywhere: labels of three kinds on two settings. .ci/run has this test on other processors too.
func TestDrawnLabelsHaveTheSameBytesEverywhere(t *testing.T) {
	atRoot(t)
	tier := must[*Tier](t)(ReadTier(Version, Lite)).Only(small)
	for _, workers := range []int{3, 1} {
		if testing.Short() && workers == 1 {
			break
		}
		labels := must[Relabelled](t)(tier.Relabel(t.Context(), nil, "a seed", t.TempDir(), workers))
		if got := must[string](t)(labels.Digest(tier)); got != "0301463ca482da938649e80e918cc9c271e512bb9da137b8b1f1d4d3a4854752" {
			t.Errorf("%d workers: the labels have the digest %s", workers, got)
		}
		if workers != 1 {
			continue
		}
		lost := labels.truth("irova", tier.Spec.Settings[0].Test()) // as after an interruption
		before := must[[]byte](t)(os.ReadFile(lost))
		if err := os.Remove(lost); err != nil {
			t.Fatal(err)
		}
		must[Relabelled](t)(tier.Relabel(t.Context(), nil, "a seed", labels.Dir, 1))
		if after := must[[]byte](t)(os.ReadFile(lost)); !slices.Equal(before, after) {
			t.Error("labels that are drawn again differ")
		}
	}
}

// TestLabelsFollowTheirProbabilities: over many rows of one distribution the shares are those of its whole numbers, a chance of 0 is never
// drawn, and a change of the last bits of a probability changes no label.
func TestLabelsFollowTheirProbabilities(t *testing.T) {
	const n, k = 40000, 4
	p := data.NewProbs(n, k)
	for i := range n {
		copy(p.Row(i), []float64{.6, .3, .1, 0})
	}
	seed := seedOf("a seed", "svs", data.Ref{Dataset: "toy", Backbone: "net", Split: data.Test})
	labels := drawLabels(quantised(p), k, seed)
	var shares [k]float64
	for _, y := range labels {
		shares[y] += 1. / n
	}
	for j, want := range []float64{.6, .3, .1, 0} {
		if d := shares[j] - want; d*d > 16*want*(1-want)/n {
			t.Errorf("class %d has the share %g, want %g", j, shares[j], want)
		}
	}
	for i := range p.Data {
		p.Data[i] *= 1 + 4e-16
	}
	if !slices.Equal(drawLabels(quantised(p), k, seed), labels) {
		t.Error("the last bit of a probability moves a label")
	}
	if slices.Equal(drawLabels(quantised(p), k, seed+1), labels) {
		t.Error("another seed has the same labels")
	}
}

// TestARoundHasASeedByItsRule: the seed is the SHA-256 of the signature of a drand round after the round closes, and a round without
// it is a named error.
func TestARoundHasASeedByItsRule(t *testing.T) {
	dir := t.TempDir()
	read := func(text string) (Round, error) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, RoundsFile), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return ReadRound(leaderboard.Folder(dir), 1)
	}
	signature := strings.Repeat("ab", 48)
	const head = "{round: 1, closes: 2023-08-23T15:09:26Z, drand: "
	if r := must[Round](t)(read("- " + head + "1, signature: " + signature + ", commit: abc}\n")); r.Seed() != fmt.Sprintf("%x", sha256.Sum256(must[[]byte](t)(hex.DecodeString(signature)))) {
		t.Error(r.Seed())
	}
	for text, want := range map[string]string{
		"- " + head + "1}\n": "round 1 has no seed yet: drand round 1 comes at 2023-08-23T15:09:27Z",
		"- " + head + "0}\n": "want one after the round closes",
		"- " + head + "1, signature: abcd, commit: abc}\n": "96 hexadecimal digits",
		"- {round: 2}\n": "the file does not have it",
	} {
		if _, err := read(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if r, err := ReadRound(leaderboard.Folder(t.TempDir()), Rehearsal); err != nil || r.Seed() != "rehearsal" {
		t.Error(r, err)
	}
	committed := leaderboard.Folder(filepath.Join("..", "..", "results", "leaderboard", FolderOf(Version)))
	if _, err := ReadRound(committed, 1); err != nil && !strings.Contains(err.Error(), ErrNoSeed.Error()) {
		t.Error(err)
	}
}

// TestARoundAdmitsWhatStoodInItsLastCommit, made before it closed: neither a later entry nor a change.
func TestARoundAdmitsWhatStoodInItsLastCommit(t *testing.T) {
	needs(t, "git", "version")
	root := t.TempDir()
	git := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", root, "-c", "user.name=a", "-c", "user.email=a@b"}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_COMMITTER_DATE=2026-12-31T12:00:00Z", "GIT_AUTHOR_DATE=2026-12-31T12:00:00Z")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %s", args, out)
		}
		return strings.TrimSpace(string(out))
	}
	write := func(entry, text string) string {
		t.Helper()
		dir := filepath.Join(root, entry)
		if err := errors.Join(os.MkdirAll(dir, 0o777), os.WriteFile(filepath.Join(dir, CardFile), []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
		git("add", ".")
		git("commit", "-q", "-m", entry)
		return dir
	}
	git("init", "-q")
	first := write("first", "a card")
	closes := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	r := Round{Number: 1, Closes: closes, Commit: git("rev-parse", "HEAD")}
	second := write("second", "another card")
	refused := func(r Round, dir, want string) {
		t.Helper()
		if err := r.Admits(t.Context(), dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if err := r.Admits(t.Context(), first); err != nil {
		t.Error(err)
	}
	refused(r, second, "waits for the next round")
	late := r
	late.Closes = closes.AddDate(0, 0, -2)
	refused(late, first, "after the round closed")
	late.Commit = strings.Repeat("0", 40)
	refused(late, first, "none of the repository")
	write("first", "a better card")
	refused(r, first, "is not what it was")
}
