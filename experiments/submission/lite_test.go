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
	"github.com/qats-bench/qats/internal/bundletest"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/leaderboard"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestLiteHasTheSameBytesEverywhere runs the tier lite on the first 300 rows of each set, with the fast methods and some that
// read more, and compares digests of the files that entries would have, by each version of the protocol: of the file of each
// method, and of the lines of each setting. So a method whose sums or products depend on the processor, the compiler or the
// number of workers is seen here. .ci/run has this test on other processors too. With -short it is about few of the
// corrupted sets, and compares no whole files.
func TestLiteHasTheSameBytesEverywhere(t *testing.T) {
	tier, err := ReadTier(Version, Lite)
	if err != nil {
		t.Fatal(err)
	}
	if tier, err = tier.Registered([]string{"@fast", "dac", "procal", "label-shift", "base-rate"}); err != nil {
		t.Fatal(err)
	}
	s := *tier.Spec
	if testing.Short() {
		s.Settings = lists.Where(s.Settings, func(x spec.Setting) bool { return x.Corruption == "" || x.Corruption == "fog" })
	}
	store, err := results.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	plan, err := experiments.MakePlan(context.Background(), []*spec.Spec{&s}, experiments.PlanOptions{
		Data: []string{bundletest.Folder(t)}, Store: store, Digests: &folder.Digests{}, First: 300})
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
	for version, golden := range map[string]string{V1: "lite.sha256", V2: "lite-v2.sha256"} {
		got := digests(t, version, out.Rows.Records)
		golden = filepath.Join("testdata", golden)
		if *update && !testing.Short() {
			if err := os.WriteFile(golden, []byte(got), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(got) {
			if !strings.Contains(string(want), line) {
				_, what, _ := strings.Cut(strings.TrimSpace(line), "  ")
				t.Errorf("%s, %s: other numbers", version, what)
			}
		}
	}
}

// digests returns the digests of the files that the methods of a version have, and of the lines of each setting.
func digests(t *testing.T, version string, records []results.Record) string {
	t.Helper()
	tier, err := ReadTier(version, Lite)
	if err != nil {
		t.Fatal(err)
	}
	records = lists.Where(records, func(r results.Record) bool { return slices.Contains(Methods(version), r.Method) })
	for i := range records {
		records[i].Experiment = tier.Spec.Name
	}
	var got strings.Builder
	lines := map[string][]string{} // of each setting
	var settings []string
	methods, of := lists.Group(records, func(r results.Record) string { return r.Method })
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
	return got.String()
}

// registryOf returns the folder of the numbers of a version.
func registryOf(version string) leaderboard.Folder {
	return leaderboard.Folder(filepath.Join("..", "..", "results", "leaderboard", FolderOf(version)))
}

// TestTheBoardHasTheMethodsOfItsVersion: each of them has its numbers in the folder of the version and no other method has, they
// are in the order of the registry, and no entry is refused. make leaderboard writes what is missing.
func TestTheBoardHasTheMethodsOfItsVersion(t *testing.T) {
	for _, version := range Versions() {
		files, err := filepath.Glob(filepath.Join(string(registryOf(version)), "*.csv"))
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
		methods := Methods(version)
		if want := slices.Sorted(slices.Values(methods)); !slices.Equal(named, want) {
			t.Errorf("%s: files of %v, want %v", version, named, want)
		}
		registered := lists.Values(experiments.Registry().Methods, func(e calib.Entry) string { return e.Name })
		ranked := lists.Where(registered, func(name string) bool { return slices.Contains(methods, name) })
		if !slices.Equal(ranked, methods) || slices.Contains(ranked, "base-rate") != (version == V2) || slices.Contains(ranked, "base-rate-top") {
			t.Errorf("%s: ranked: %v; in the registry: %v", version, methods, ranked)
		}
		b, refused, err := Board(t.Context(), version, registryOf(version), filepath.Join("..", "..", "submissions"), Records{Dir: filepath.Join("..", "..", "results", "leaderboard", "verified")})
		if err != nil {
			t.Fatal(err)
		}
		for _, why := range refused {
			t.Error(why)
		}
		if n := len(methods); b.Methods != n || b.Settings.Measured != 99 || len(b.Sections) != len(leaderboard.Contracts()) {
			t.Errorf("%s: %d methods on %d settings in %d tables", version, b.Methods, b.Settings.Measured, len(b.Sections))
		}
	}
}

// TestVersion2HasTheNumbersOfVersion1: a metric that both versions have has the same nine digits, for each method and setting. Of
// a method with a mass, which is younger than version 1, the predictions are the same.
func TestVersion2HasTheNumbersOfVersion1(t *testing.T) {
	read := func(version, method string) map[place]results.Record {
		t.Helper()
		tier, err := ReadTier(version, Lite)
		if err != nil {
			t.Fatal(err)
		}
		records, ok, err := registryOf(version).Read(method, tier.Metrics())
		if err != nil || !ok {
			t.Fatalf("%s of %s: %v", method, version, err)
		}
		of := map[place]results.Record{}
		for _, r := range records {
			r.Experiment = ""
			of[placeOf(r)] = r
		}
		return of
	}
	mixed := []string{"hb", "hb-mass", "hb-top", "bbq", "scaling-binning", "irova", "cir", "ir-top", "spline"}
	n, differ := 0, map[string]bool{}
	for _, method := range Methods(V1) {
		now := read(V2, method)
		for at, old := range read(V1, method) {
			n++
			r := now[at]
			switch equal := r.Status == old.Status && r.Value == old.Value; {
			case equal:
			case slices.Contains(mixed, method) && at.metric != "accuracy" && at.metric != "argmax_change":
				differ[method] = true
			default:
				t.Errorf("%s, %s on %s: %v, of version 1 %v", method, at.metric, at.setting.Name(), r.Value, old.Value)
			}
		}
	}
	if want := len(Methods(V1)) * 144 * 14; n != want {
		t.Errorf("%d numbers, want %d", n, want)
	}
	if len(differ) != len(mixed) {
		t.Errorf("with other numbers: %v, want all of %v", differ, mixed)
	}
}
