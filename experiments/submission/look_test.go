package submission

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/leaderboard"
)

// registryRecords returns the numbers of the methods of the registry, as they are committed.
func registryRecords(t *testing.T) []results.Record {
	t.Helper()
	tier := must[*Tier](t)(ReadTier(Version, Lite))
	members, _, err := registered(tier, leaderboard.Folder(filepath.Join("..", "..", "results", "leaderboard", FolderOf(Version))))
	if err != nil {
		t.Fatal(err)
	}
	var records []results.Record
	for _, m := range members {
		records = append(records, lists.Where(m.Records, func(r results.Record) bool { return r.Metric == "accuracy" || r.Metric == "auroc" })...)
	}
	return records
}

// TestNoMethodOfTheRegistryGivesAnAlarm: each is compared with all others. label-shift alone is above them, by its sight of the target
// rows on the long-tailed networks; it is compared with itself too, as an entry is.
func TestNoMethodOfTheRegistryGivesAnAlarm(t *testing.T) {
	registry := registryRecords(t)
	for _, method := range Methods(Version) {
		others := lists.Where(registry, func(r results.Record) bool { return r.Method != method })
		alarms := leaderboard.Alarms(ofMethod(method, registry), others)
		if method == "label-shift" {
			if len(alarms) == 0 || slices.ContainsFunc(alarms, func(a leaderboard.Alarm) bool { return !strings.HasPrefix(a.Setting.Dataset, "cifar10-jpeg-lt-") }) {
				t.Errorf("%s: %v", method, alarms)
			}
			others = registry
		}
		for _, a := range leaderboard.Alarms(ofMethod(method, registry), others) {
			t.Errorf("%s: %s", method, a)
		}
	}
}

// TestWhatIsNoCalibrationGivesAnAlarm: an entry that knows labels, by a few points of its accuracy, and one that knows which rows are
// wrong. Half a point is within the margin.
func TestWhatIsNoCalibrationGivesAnAlarm(t *testing.T) {
	registry := registryRecords(t)
	const dataset, network = "cifar10-jpeg", "resnet18-w64"
	changed := func(metric string, by float64) []leaderboard.Alarm {
		entry := slices.Clone(ofMethod("ts", registry))
		for i := range entry {
			r := &entry[i]
			r.Method = "mine"
			if r.Metric == metric && r.Dataset == dataset && r.Backbone == network && r.Loss == "ce" {
				r.Value += by
			}
		}
		return leaderboard.Alarms(entry, registry)
	}
	for _, metric := range []string{"accuracy", "auroc"} {
		alarms := changed(metric, .06)
		if len(alarms) != 1 || alarms[0].Metric != metric || alarms[0].Setting.Backbone != network || !(alarms[0].Holm < .05) || !strings.Contains(alarms[0].String(), "on "+dataset+"/"+network) {
			t.Errorf("%s: %v", metric, alarms)
		}
		if alarms := changed(metric, .005); len(alarms) != 0 {
			t.Errorf("%s: half a point: %v", metric, alarms)
		}
	}
}

// TestLiteralsAreCounted by hand, in each language, and are few in the methods of this project.
func TestLiteralsAreCounted(t *testing.T) {
	long := strings.Repeat("x", 41)
	for name, want := range map[string]struct {
		file, text string
		n          int
	}{
		"go":             {"a.go", "package a\n\n// not \"this\"\nvar a, b = \"four\", 12.5 // 6 + 4\n", 10},
		"a name in go":   {"a.go", "package a\n\nvar " + long + " int\n", 41},
		"python":         {"a.py", "# \"not this\"\nx1 = 'it\\'s' + \"\"\"a\n\"b\" \"\"\"  # 7 + 12\ny = [0x1f, 1.5e3]\n", 7 + 12 + 4 + 5},
		"an open quote":  {"a.py", "x = 'abc\ny = 1", 4 + 1},
		"a name":         {"a.py", long + " = f", 41},
		"other programs": {"a.R", "x <- 1", 6},
	} {
		if got := (Source{want.file: []byte(want.text)}).Literals(); got != want.n {
			t.Errorf("%s: %d, want %d", name, got, want.n)
		}
	}
	packages, err := filepath.Glob(filepath.Join("..", "..", "calib", "*", "*.go"))
	if err != nil || len(packages) < 50 {
		t.Fatal(len(packages), err)
	}
	code := map[string]Source{}
	for _, file := range packages {
		dir := filepath.Base(filepath.Dir(file))
		if strings.HasSuffix(file, "_test.go") || dir == "all" || dir == "calibtest" {
			continue
		}
		if code[dir] == nil {
			code[dir] = Source{}
		}
		code[dir][filepath.Base(file)] = must[[]byte](t)(os.ReadFile(file))
	}
	for dir, source := range code {
		if n := source.Literals(); n > MostLiterals/2 {
			t.Errorf("calib/%s: %d bytes, and an entry has %d", dir, n, MostLiterals)
		}
	}
}

// TestAnEntryIsLookedAt: a table of 4,000 hashes is a reason, until a person has recorded a look at this card.
func TestAnEntryIsLookedAt(t *testing.T) {
	var table strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&table, "%016x", i)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, CardFile), []byte("a card"), 0o666); err != nil {
		t.Fatal(err)
	}
	e := &Entry{Dir: dir, Card: &Card{Name: "mine"}, Code: Source{"mine.py": []byte("table = '" + table.String() + "'\n")}}
	why, err := (&checks{}).look(e, &leaderboard.Member{Method: "mine"})
	if err != nil || why != "its code has 64002 bytes of texts and numbers, more than 32768" {
		t.Error(why, err)
	}
	folder := leaderboard.Folder(t.TempDir())
	card := must[string](t)(fileDigest(filepath.Join(dir, CardFile)))
	write := func(text string) {
		if err := os.WriteFile(filepath.Join(string(folder), LookedFile), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("- {entry: mine, card: " + card + ", by: A. Person, found: the table is of primes}\n")
	looked := must[[]Looked](t)(ReadLooked(folder))
	if why, err := (&checks{looked: looked}).look(e, &leaderboard.Member{Method: "mine"}); why != "" || err != nil {
		t.Error(why, err)
	}
	looked[0].Card = strings.Repeat("0", 64)
	if why, _ := (&checks{looked: looked}).look(e, &leaderboard.Member{Method: "mine"}); why == "" {
		t.Error("a look at another card counts")
	}
	e.Code = nil
	for of, want := range map[string]string{card: "in round 3 (nll on a/net, p = 0.01)", strings.Repeat("0", 64): ""} {
		found := leaderboard.Fresh{Method: "mine", Card: of, Rows: []leaderboard.FreshRow{{Labels: leaderboard.PublicLabels, Settings: 2}}, Holm: .01, At: "a/net", Score: "nll"}
		why, err := (&checks{rounds: map[int][]leaderboard.Fresh{3: {found}}}).look(e, &leaderboard.Member{Method: "mine"})
		if err != nil || (want == "") != (why == "") || !strings.Contains(why, want) {
			t.Errorf("%q (%v), want %q", why, err, want)
		}
	}
	write("- {entry: mine, card: " + card + ", by: '', found: honest}\n")
	if _, err := ReadLooked(folder); err == nil || !strings.Contains(err.Error(), LookedFile) {
		t.Error(err)
	}
}
