package submission

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/data/folder"
	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/internal/bundletest"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
)

// small are two settings of the tier lite that are fast.
var small = []string{"chile/mlp", "fertil2/lightgbm"}

// atRoot makes the root of the project the working folder.
func atRoot(t *testing.T) {
	t.Helper()
	bundletest.Folder(t)
	t.Chdir(filepath.Join("..", ".."))
}

func must[T any](t *testing.T) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// ran runs an entry on the small settings.
func ran(t *testing.T, p *Prepared) (*results.Rows, []results.EntryFit) {
	t.Helper()
	tier := must[*Tier](t)(ReadTier(Version, Lite)).Only(small).With(p.Method)
	plan := must[*experiments.Plan](t)(experiments.MakePlan(t.Context(), []*spec.Spec{tier.Spec}, experiments.PlanOptions{
		Store: must[*results.Store](t)(results.Open(t.TempDir())), Digests: &folder.Digests{}, AllowExec: true, Programs: p.Programs}))
	out := must[*experiments.Outcome](t)(plan.Run(t.Context(), experiments.RunOptions{Workers: 2}))
	return &out.Rows, must[[]results.EntryFit](t)(plan.Fits(p.Method.Name))
}

// described is a card of some code before it runs.
func described(name string, l Language, files ...string) *Card {
	return &Card{Protocol: Version, Tier: Lite, Name: name, Label: "Mine", Authors: []string{"A. Author"}, Reference: "Author (2026)",
		Licence: "MIT", Language: l, Code: files, Platform: "a test", Contract: Contract{Needs: []string{}}}
}

// handedIn runs code and writes its entry on the small settings.
func handedIn(t *testing.T, c *Card, code Source, iso *Isolation) string {
	t.Helper()
	p := must[*Prepared](t)(Prepare(t.Context(), c, code, t.TempDir(), iso))
	rows, fits := ran(t, p)
	dir := filepath.Join(t.TempDir(), c.Name)
	tier := must[*Tier](t)(ReadTier(Version, Lite))
	if err := Write(dir, c, code, tier, rows.Settings, rows.Records, fits); err != nil {
		t.Fatal(err)
	}
	return dir
}

// needs skips a test without a program.
func needs(t *testing.T, argv ...string) {
	t.Helper()
	if err := exec.Command(argv[0], argv[1:]...).Run(); err != nil {
		t.Skipf("needs %s: %v", strings.Join(argv, " "), err)
	}
}

// block returns the first block of a language of a document that begins with some words.
func block(t *testing.T, page, language, begin string) string {
	t.Helper()
	text := string(must[[]byte](t)(os.ReadFile(filepath.Join("docs", page))))
	_, after, ok := strings.Cut(text, "```"+language+"\n"+begin)
	code, _, closed := strings.Cut(after, "```")
	if !ok || !closed {
		t.Fatalf("docs/%s has no block of %s that begins with %q", page, language, begin)
	}
	return begin + code
}

// entropy is the package of a Go method: the one of docs/calibrator.md with an exported entry.
func entropy(t *testing.T) Source {
	t.Helper()
	code := block(t, "calibrator.md", "go", "// EntropyLine is")
	for _, change := range [][2]string{{"var entropyLineEntry", "var Entry"}, {`"entropy-line"`, `"entropy-test"`}, {`"Entropy line"`, `"Entropy of a test"`}} {
		if !strings.Contains(code, change[0]) {
			t.Fatalf("no %s in\n%s", change[0], code)
		}
		code = strings.ReplaceAll(code, change[0], change[1])
	}
	const head = "package entropy\n\nimport (\n\t\"context\"\n\t\"fmt\"\n\n\t\"github.com/qats-bench/qats/calib\"\n\t\"github.com/qats-bench/qats/data\"\n)\n\n"
	return Source{"entropy.go": []byte(head + code)}
}

// handBack is a program of the shell: it hands the logits back as they are.
const handBack = `#!/bin/sh
case $1 in
fit) cp "$2/cal/logits.npy" "$2/model/" ;;
apply) cp "$2/test/logits.npy" "$2/logits.npy" ;;
esac
`

// TestEntryIsVerified: Python files and programs are handed in, read and run again. The numbers are equal, and they agree, as all numbers of other
// languages than Go do at best.
func TestEntryIsVerified(t *testing.T) {
	atRoot(t)
	program := described("same", Command, "same.sh")
	program.Command = []string{"sh", "same.sh"}
	for _, c := range []struct {
		card  *Card
		code  string
		needs []string
	}{
		{described("mine", Python, "mine.py"), block(t, "calibrator.md", "python", "import numpy"), []string{"python3", "-c", "import numpy"}},
		{program, handBack, []string{"sh", "-c", "true"}},
	} {
		t.Run(string(c.card.Language), func(t *testing.T) {
			needs(t, c.needs...)
			code := Source{c.card.Code[0]: []byte(c.code)}
			at := handedIn(t, c.card, code, nil)
			e := must[*Entry](t)(Read(at))
			if e.Card.Digests.Inputs == "" || len(e.Records) == 0 || len(e.Fits) != len(small) {
				t.Errorf("%d records, %d fits", len(e.Records), len(e.Fits))
			}
			p := must[*Prepared](t)(Prepare(t.Context(), e.Card, e.Code, t.TempDir(), nil))
			rows, fits := ran(t, p)
			got := Compare(e, rows.Records, fits)
			want := Counts{Equal: len(small) * len(must[*Tier](t)(ReadTier(Version, Lite)).Metrics())}
			if got.Counts != want || got.Fits != 0 || got.Counts.Verdict(c.card.Language) != Agrees || InputsDigest(rows.Settings) != e.Card.Digests.Inputs {
				t.Errorf("%+v, %d other fits, %s", got.Counts, got.Fits, got.Counts.Verdict(c.card.Language))
			}
		})
	}
}

// TestAlteredEntryIsCaught: an entry in Go is equal, and one digit, one option, the code, the card and one array are caught.
func TestAlteredEntryIsCaught(t *testing.T) {
	atRoot(t)
	needs(t, "go", "version")
	dir := handedIn(t, described("entropy-test", Go, "entropy.go"), entropy(t), nil)
	e := must[*Entry](t)(Read(dir))
	rows, fits := ran(t, must[*Prepared](t)(Prepare(t.Context(), e.Card, e.Code, t.TempDir(), nil)))
	if c := Compare(e, rows.Records, fits); c.Counts != (Counts{Equal: 30}) || c.Fits != 0 || c.Counts.Verdict(Go) != Equal || InputsDigest(rows.Settings) != e.Card.Digests.Inputs {
		t.Errorf("%+v, %d other fits", c.Counts, c.Fits)
	}
	change := func(file, from, to string) {
		t.Helper()
		path := filepath.Join(dir, file)
		text := string(must[[]byte](t)(os.ReadFile(path)))
		if !strings.Contains(text, from) {
			t.Fatalf("no %q in %s", from, text)
		}
		if err := os.WriteFile(path, []byte(strings.Replace(text, from, to, 1)), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	read := func(want string) *Entry {
		t.Helper()
		e, err := Read(dir)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%v, want %q", err, want)
		}
		return e
	}
	digest := func(file string) string { t.Helper(); return must[string](t)(fileDigest(filepath.Join(dir, file))) }

	ece := e.Records[2]
	if ece.Metric != "ece" {
		t.Fatal(ece.Metric)
	}
	was, old := fmt.Sprintf("%.9g", ece.Value), digest(ResultsFile)
	for by, want := range map[float64]Counts{1e-7: {Equal: 29, Agrees: 1}, 1e-3: {Equal: 29, Differs: 1}} {
		is := fmt.Sprintf("%.9g", ece.Value+by)
		change(ResultsFile, was, is)
		read("card.yaml: digests: results: results.csv is not the file")
		change(CardFile, old, digest(ResultsFile)) // by somebody who knows how
		if c := Compare(read(""), rows.Records, fits); c.Counts != want || len(c.Of(Differs)) != want.Differs {
			t.Errorf("by %v: %+v", by, c.Counts)
		}
		change(CardFile, digest(ResultsFile), old)
		change(ResultsFile, is, was)
	}
	read("")

	change(CardFile, "code: [", "options: {steepest: \"0.1\"}\ncode: [") // an option
	altered := read("")
	again, _ := ran(t, must[*Prepared](t)(Prepare(t.Context(), altered.Card, altered.Code, t.TempDir(), nil)))
	if c := Compare(altered, again.Records, nil); c.Counts.Differs == 0 {
		t.Errorf("another option: %+v", c.Counts)
	}
	change(CardFile, "options: {steepest: \"0.1\"}\n", "")

	change(CodeFolder+"/entropy.go", "1e-3, Most: 1e3", "1e-3, Most: 1e2")
	read("card.yaml: digests: code: the code is not that which the entry ran")
	change(CodeFolder+"/entropy.go", "1e-3, Most: 1e2", "1e-3, Most: 1e3")

	change(CardFile, "keeps_top1: false", "keeps_top1: maybe")
	read("card.yaml:10: cannot unmarshal")
	change(CardFile, "keeps_top1: maybe", "keeps_top1: false")

	settings := append([]results.SettingInfo{}, rows.Settings...)
	settings[0].Test = strings.Replace(settings[0].Test, "sha256:", "sha256:0", 1)
	if InputsDigest(settings) == e.Card.Digests.Inputs {
		t.Error("another array has the same digest")
	}
	if c := Compare(read(""), nil, nil); c.Counts.Verdict(Go) != NotRun || c.Counts.NotRun != 30 {
		t.Errorf("%+v", c.Counts)
	}
}

// signer makes a key, and a folder of records in which it may sign.
func signer(t *testing.T) (key string, records Records) {
	t.Helper()
	dir := t.TempDir()
	key = filepath.Join(dir, "key")
	needs(t, "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", key)
	public := must[[]byte](t)(os.ReadFile(key + ".pub"))
	records = Records{Dir: filepath.Join(dir, "verified")}
	if err := errors.Join(os.Mkdir(records.Dir, 0o777), os.WriteFile(records.signers(), []byte("a.maintainer@example.org "+string(public)), 0o666)); err != nil {
		t.Fatal(err)
	}
	return key, records
}

// TestRecordIsSignedAndOfACard: a record counts if a signer signed these bytes, for the card, the numbers and the means as they are.
func TestRecordIsSignedAndOfACard(t *testing.T) {
	key, records := signer(t)
	stranger, _ := signer(t)
	dir := filepath.Join(t.TempDir(), "mine")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	e := &Entry{Dir: dir, Card: &Card{Name: "mine", Language: Go}, Records: make([]results.Record, 3)}
	write := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	good := Record{Verdict: Equal, Numbers: Counts{Equal: 3}, Isolated: true, Platform: "here", Draws: &Drawn{Commit: "0123abc", N: 20}}
	sign := func(r Record, key string) {
		t.Helper()
		write(filepath.Join(dir, CardFile), "a card")
		write(records.Means("mine"), "means")
		if err := records.Write(t.Context(), e, r, key); err != nil {
			t.Fatal(err)
		}
	}
	read := func(name, want string) {
		t.Helper()
		switch r, err := records.Read(t.Context(), e); {
		case want == "" && (err != nil || r == nil || r.Verdict != Equal || r.Numbers.Equal != 3 || r.Draws.N != 20):
			t.Errorf("%s: %+v %v", name, r, err)
		case want == "none" && (err != nil || r != nil):
			t.Errorf("%s: %+v %v", name, r, err)
		case len(want) > 4 && (err == nil || r != nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %+v %v, want %s", name, r, err, want)
		}
	}
	read("no record", "none")
	sign(good, key)
	read("signed", "")
	text := string(must[[]byte](t)(os.ReadFile(records.record("mine"))))
	write(records.record("mine"), strings.Replace(text, "equal: 3", "equal: 4", 1))
	read("another text", "the signature of a.maintainer@example.org is not of this text")
	sign(good, stranger)
	read("a stranger's key", "signed by none of")
	if err := os.Remove(records.record("mine") + ".sig"); err != nil {
		t.Fatal(err)
	}
	read("no signature", "not signed")
	sign(good, key)
	write(records.Means("mine"), "other means")
	read("other means", "mine.csv is not the file of this verification")
	sign(good, key)
	write(filepath.Join(dir, CardFile), "another card")
	read("another card", "none")
	fewer := good
	fewer.Numbers.Equal = 2
	sign(fewer, key)
	read("fewer numbers", "of 2 numbers, and the entry has 3")
	worse := good
	worse.Numbers = Counts{Equal: 2, Differs: 1}
	sign(worse, key)
	read("another verdict", "verdict: equal, and the numbers are: differs")
}

// TestDrawsFollowFromACommit: the same commit gives the same draws, another one others; corrupted sets have none.
func TestDrawsFollowFromACommit(t *testing.T) {
	tier := must[*Tier](t)(ReadTier(Version, Lite))
	clean := 0
	for _, s := range tier.Spec.Settings {
		if s.Corruption == "" {
			clean++
		}
	}
	a, b, c := tier.Draws("3f2a9c1", 3), tier.Draws("3f2a9c1", 3), tier.Draws("3f2a9c2", 3)
	if len(a.Spec.Settings) != 3*clean || a.Spec.Settings[0] != b.Spec.Settings[0] || a.Spec.Settings[0].Variant == c.Spec.Settings[0].Variant ||
		a.Spec.Settings[0].Variant == a.Spec.Settings[1].Variant || a.Spec.Settings[0].Variant.Split != a.Spec.Settings[3].Variant.Split {
		t.Errorf("%d settings: %v", len(a.Spec.Settings), a.Spec.Settings[:4])
	}
	at := results.Setting{Experiment: "v1-lite-drawn", Dataset: "letter", Backbone: "mlp", Loss: "ce"}
	var records []results.Record
	for i, x := range []float64{.1, .2, .6} {
		s := at
		s.Variant.Split = i + 1
		records = append(records, results.Record{Setting: s, Method: "ts", Metric: "ece", Value: x, N: 7, Source: "measured", Status: results.OK})
	}
	if got := Means(records); len(got) != 1 || math.Abs(got[0].Value-.3) > 1e-15 || got[0].Setting != at {
		t.Errorf("%+v", got)
	}
	records[1].Status = results.Skip
	if got := Means(records); len(got) != 1 || got[0].Status != results.Skip {
		t.Errorf("%+v", got)
	}
}

// TestRepeatFindsWhatChanges: a program whose numbers depend on the process, and one that reads arrays which it is not handed.
func TestRepeatFindsWhatChanges(t *testing.T) {
	atRoot(t)
	needs(t, "python3", "-c", "import numpy")
	secret, err := filepath.Abs("data/bundle/chile/mlp/test/labels.npy")
	if err != nil {
		t.Fatal(err)
	}
	const head = "import os, numpy as np\ndef fit(logits, labels): return os.getpid()\n"
	const softmax = "def soft(z):\n    p = np.exp(z - z.max(1, keepdims=True)); return p / p.sum(1, keepdims=True)\n"
	for name, c := range map[string]struct{ code, want string }{
		"same":    {head + softmax + "def apply(model, logits): return soft(logits.astype(float))\n", ""},
		"process": {head + softmax + "def apply(model, logits): return soft(logits.astype(float) * (1 + model % 10007 / 10007))\n", "and others in others"},
		"reads": {head + softmax + "def apply(model, logits):\n    p = soft(logits.astype(float))\n    if len(p) == len(np.load(" + fmt.Sprintf("%q", secret) +
			")): p = 0.5 * p + 0.5 / p.shape[1]\n    return p\n", "none in a fresh process: apply raised FileNotFoundError"},
	} {
		t.Run(name, func(t *testing.T) {
			work := t.TempDir()
			t.Setenv("TMPDIR", work)
			var iso *Isolation
			if name == "reads" {
				iso = isolation(t)
			}
			card, code := described(name, Python, "mine.py"), Source{"mine.py": []byte(c.code)}
			own := must[*Prepared](t)(Prepare(t.Context(), card, code, filepath.Join(work, "a"), nil))
			rows, _ := ran(t, own)
			p := must[*Prepared](t)(Prepare(t.Context(), card, code, filepath.Join(work, "b"), iso))
			tier := must[*Tier](t)(ReadTier(Version, Lite)).Only(small[:1]).With(p.Method)
			changes, err := p.Repeat(context.Background(), tier, nil, 0, work, rows.Records)
			if err != nil {
				t.Fatal(err)
			}
			if c.want == "" && len(changes) > 0 || c.want != "" && (len(changes) == 0 || !strings.Contains(changes[0].String(), c.want)) {
				t.Errorf("%v, want %q", changes, c.want)
			}
		})
	}
}

// TestAloneFindsState: a program that counts its calls in its folder, where nothing isolates it, has other numbers when a setting runs alone; one
// without state has the same.
func TestAloneFindsState(t *testing.T) {
	atRoot(t)
	for name, c := range map[string]struct {
		code  string
		state bool
	}{
		"none": {handBack, false},
		"count": {`#!/bin/sh
echo >> calls
n=$(wc -l < calls)
case $1 in
fit) cp "$2/cal/logits.npy" "$2/model/" ;;
apply) # the logits, by n numbers further
  head -c 128 "$2/test/logits.npy" > "$2/logits.npy"
  tail -c +$((129 + 4 * n)) "$2/test/logits.npy" >> "$2/logits.npy"
  tail -c +129 "$2/test/logits.npy" | head -c $((4 * n)) >> "$2/logits.npy" ;;
esac
`, true},
	} {
		t.Run(name, func(t *testing.T) {
			card := described(name, Command, "mine.sh")
			card.Command = []string{"sh", "mine.sh"}
			p := must[*Prepared](t)(Prepare(t.Context(), card, Source{"mine.sh": []byte(c.code)}, t.TempDir(), nil))
			rows, _ := ran(t, p)
			work := t.TempDir()
			t.Setenv("TMPDIR", work)
			tier := must[*Tier](t)(ReadTier(Version, Lite))
			changes := must[[]Change](t)(p.Alone(t.Context(), tier, DrawnNames("a key", 2, rows.Settings), nil, work, rows.Records))
			if (len(changes) > 0) != c.state {
				t.Errorf("%v", changes)
			}
		})
	}
	some := []results.SettingInfo{{Setting: results.Setting{Dataset: "a", Backbone: "x"}}, {Setting: results.Setting{Dataset: "b", Backbone: "x"}}, {Setting: results.Setting{Dataset: "c", Backbone: "x"}}}
	first := map[string]bool{}
	for i := range 20 {
		first[DrawnNames(fmt.Sprint(i), 1, some)[0]] = true
	}
	if len(first) != 3 || !slices.Equal(DrawnNames("k", 5, some), DrawnNames("k", 3, some)) {
		t.Errorf("draws of %v", first)
	}
}

// TestProtocolIsFrozen: the networks, metrics and baselines of a version are those that entries ran on. Whoever changes them makes
// another version, in a folder of its own.
func TestProtocolIsFrozen(t *testing.T) {
	for version, want := range map[string]string{
		V1: "15e956acc800b9e0ed108fca231382830157f33732457bc1279058e8a68f6f8c",
		V2: "aefc0953be9df4be45062a7bfae64a5dd361fc6c73bb0ca0c6d67797fef8d768",
	} {
		if got := must[string](t)(Digest(version)); got != want {
			t.Errorf("the protocol is %s, and %s is %s", got, version, want)
		}
		for name, want := range map[string]int{Lite: 144, Full: 210} {
			if tier := must[*Tier](t)(ReadTier(version, name)); len(tier.Spec.Settings) != want {
				t.Errorf("%s of %s has %d settings, want %d", name, version, len(tier.Spec.Settings), want)
			}
		}
	}
}

// TestVersion2HasWhatVersion1Has: the same settings and metrics in the same order, with the top-label NLL and base-rate beside.
func TestVersion2HasWhatVersion1Has(t *testing.T) {
	for _, name := range Tiers() {
		old, now := must[*Tier](t)(ReadTier(V1, name)), must[*Tier](t)(ReadTier(V2, name))
		for i, s := range now.Spec.Settings {
			if s.Experiment = old.Spec.Name; s.Setting != old.Spec.Settings[i].Setting || s.CalibrateOn != old.Spec.Settings[i].CalibrateOn {
				t.Errorf("%s: setting %s in the place of %s", name, s.Setting.Name(), old.Spec.Settings[i].Setting.Name())
			}
		}
		if got := lists.Where(now.Metrics(), func(m string) bool { return m != "nll_top" }); !slices.Equal(got, old.Metrics()) || len(got) == len(now.Metrics()) {
			t.Errorf("%s: metrics %v, of version 1 %v", name, now.Metrics(), old.Metrics())
		}
		names := lists.Values(now.Spec.Methods, func(m spec.Method) string { return m.Name })
		if want := append(lists.Values(old.Spec.Methods, func(m spec.Method) string { return m.Name }), results.BaseRate); !slices.Equal(names, want) {
			t.Errorf("%s: methods %v, want %v", name, names, want)
		}
	}
}

// TestEntryOfVersion1: it is read and verified by the specs of its version. The board of version 2 shows what it has, and that of
// version 1 has no entry of version 2.
func TestEntryOfVersion1(t *testing.T) {
	dir := t.TempDir()
	code := Source{"mine.py": []byte("def fit(logits, labels): pass\n")}
	hand := func(version, name string, metrics func(metric string) bool) {
		t.Helper()
		card := described(name, Python, "mine.py")
		card.Protocol, card.Label, card.Contract.KeepsTop1 = version, "Entry "+name, true
		tier := must[*Tier](t)(ReadTier(version, Lite))
		var records []results.Record
		for _, s := range tier.Spec.Settings {
			for _, m := range tier.Metrics() {
				r := results.Record{Setting: s.Setting, Method: name, Metric: m, Value: .05, N: 100, Source: "measured", Status: results.OK}
				if !metrics(m) {
					r = results.Record{Setting: s.Setting, Method: name, Metric: m, Source: "measured", Status: results.Skip}
				}
				records = append(records, r)
			}
		}
		if err := Write(filepath.Join(dir, name), card, code, tier, nil, records, nil); err != nil {
			t.Fatal(err)
		}
		if e := must[*Entry](t)(Read(filepath.Join(dir, name))); e.Card.Protocol != version || len(e.Records) != len(records) {
			t.Errorf("%s: protocol %s, %d records, want %d", name, e.Card.Protocol, len(e.Records), len(records))
		}
	}
	hand(V1, "old", func(string) bool { return true })
	hand(V1, "old-top", func(metric string) bool { return metric != "nll" && metric != "brier" })
	hand(V2, "new", func(string) bool { return true })
	csv := func(version string) string {
		t.Helper()
		b, refused, err := Board(t.Context(), version, registryOf(version), dir, Records{})
		if err != nil || refused != nil {
			t.Fatal(err, refused)
		}
		var text strings.Builder
		if err := b.WriteCSV(&text); err != nil {
			t.Fatal(err)
		}
		return text.String()
	}
	if text := csv(V1); !strings.Contains(text, "\nold,Entry old,keeps-top,A. Author,claimed,") || strings.Contains(text, "Entry new") {
		t.Error("the board of version 1 lacks its entry, or has one of version 2")
	}
	text := csv(V2)
	for _, want := range []string{
		"\nold,Entry old,keeps-top,A. Author,v1,claimed,,,,is not verified", "\nnew,Entry new,keeps-top,A. Author,v2,claimed,,,,is not verified",
		"\nold-top,Entry old-top,top-label,A. Author,v1,claimed,,,,has no NLL (NLL not recorded),nll_top brier_top,not recorded,",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
}
