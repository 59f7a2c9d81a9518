package submission

import (
	"context"
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/data/folder"
	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/leaderboard"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestLiteHasTheSameBytesEverywhere runs the tier lite on the first 300 rows of each set, with the fast methods and some that
// read more, and compares digests of the files that entries would have: of the file of each method, and of the lines of
// each setting. So a method whose sums or products depend on the processor, the compiler or the number of workers is seen
// here. .ci/run has this test on other processors too. With -short it is about few of the corrupted sets, and compares no
// whole files.
func TestLiteHasTheSameBytesEverywhere(t *testing.T) {
	tier, err := ReadTier(Lite)
	if err != nil {
		t.Fatal(err)
	}
	if tier, err = tier.Registered([]string{"@fast", "dac", "procal", "label-shift"}); err != nil {
		t.Fatal(err)
	}
	s := *tier.Spec
	s.Baseline = "" // pairs are no numbers of an entry
	if testing.Short() {
		s.Settings = lists.Where(s.Settings, func(x spec.Setting) bool { return x.Corruption == "" || x.Corruption == "fog" })
	}
	store, err := results.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	plan, err := experiments.MakePlan(context.Background(), []*spec.Spec{&s}, experiments.PlanOptions{
		Data: []string{filepath.Join("..", "..", "data", "bundle")}, Store: store, Digests: &folder.Digests{}, First: 300})
	if err != nil {
		t.Fatal(err)
	}
	out, err := plan.Run(context.Background(), experiments.RunOptions{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	if out.Failed > 0 {
		t.Fatal(out.Reasons)
	}
	var got strings.Builder
	lines := map[string][]string{} // of each setting
	var settings []string
	methods, of := lists.Group(out.Rows.Records, func(r results.Record) string { return r.Method })
	for _, m := range methods {
		path := filepath.Join(t.TempDir(), m+".csv")
		if err := results.WriteEntry(path, tier.Metrics(), of[m]); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !testing.Short() {
			fmt.Fprintf(&got, "%x  %s\n", sha256.Sum256(text), m)
		}
		for i, r := range lists.Distinct(of[m], func(r results.Record) results.Setting { return r.Setting }) {
			if !slices.Contains(settings, r.Name()) {
				settings = append(settings, r.Name())
			}
			lines[r.Name()] = append(lines[r.Name()], strings.Split(string(text), "\n")[1+i])
		}
	}
	for _, name := range settings {
		fmt.Fprintf(&got, "%x  %s\n", sha256.Sum256([]byte(strings.Join(lines[name], "\n"))), name)
	}
	golden := filepath.Join("testdata", "lite.sha256")
	if *update && !testing.Short() {
		if err := os.WriteFile(golden, []byte(got.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(got.String()) {
		if !strings.Contains(string(want), line) {
			_, what, _ := strings.Cut(strings.TrimSpace(line), "  ")
			t.Errorf("%s has other numbers", what)
		}
	}
}

// TestTheBoardHasTheMethodsOfItsVersion: each of them has its numbers in results/leaderboard and no other method has, they
// are in the order of the registry, and no entry is refused. make leaderboard writes what is missing.
func TestTheBoardHasTheMethodsOfItsVersion(t *testing.T) {
	root := filepath.Join("..", "..")
	files, err := filepath.Glob(filepath.Join(root, "results", "leaderboard", "*.csv"))
	if err != nil {
		t.Fatal(err)
	}
	var named []string
	for _, f := range files {
		if name := strings.TrimSuffix(filepath.Base(f), ".csv"); name+".csv" != results.SettingsFile {
			named = append(named, name)
		}
	}
	slices.Sort(named)
	if want := slices.Sorted(slices.Values(Methods())); !slices.Equal(named, want) {
		t.Errorf("files of %v, want %v", named, want)
	}
	registered := lists.Values(experiments.Registry().Methods, func(e calib.Entry) string { return e.Name })
	ranked := lists.Where(registered, func(name string) bool { return slices.Contains(Methods(), name) })
	if !slices.Equal(ranked, Methods()) || slices.Contains(ranked, "base-rate") || slices.Contains(ranked, "base-rate-top") {
		t.Errorf("ranked: %v; in the registry: %v", Methods(), ranked)
	}
	b, refused, err := Board(leaderboard.Folder(filepath.Join(root, "results", "leaderboard")), filepath.Join(root, "submissions"))
	if err != nil {
		t.Fatal(err)
	}
	for _, why := range refused {
		t.Error(why)
	}
	if n := len(Methods()); b.Methods != n || b.Settings.Measured != 99 || len(b.Tables) != len(leaderboard.Contracts()) {
		t.Errorf("%d methods on %d settings in %d tables", b.Methods, b.Settings.Measured, len(b.Tables))
	}
}
