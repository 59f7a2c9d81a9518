package experiments

import (
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/npy"
	"github.com/qats-bench/qats/internal/kernel/softmax"
	"github.com/qats-bench/qats/results"
)

// built compiles a program of the module.
func built(t *testing.T, dir string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), filepath.Base(dir))
	if b, err := exec.Command("go", "build", "-o", out, dir).CombinedOutput(); err != nil {
		t.Fatalf("go build %s: %v\n%s", dir, err, b)
	}
	return out
}

// checkSame compares the values of two methods, setting by setting, and returns
// their number.
func checkSame(t *testing.T, out *Outcome, a, b string, tol float64) int {
	t.Helper()
	values := map[string]float64{}
	for _, r := range out.Rows.Records {
		if r.Method == a && r.Status == results.OK {
			values[r.Setting.Name()+" "+r.Metric] = r.Value
		}
	}
	compared := 0
	for _, r := range out.Rows.Records {
		if r.Method != b {
			continue
		}
		if want, ok := values[r.Setting.Name()+" "+r.Metric]; !ok || r.Status != results.OK || !(math.Abs(r.Value-want) <= tol) {
			t.Errorf("%s %s of %s: %s %v, of %s %v", r.Setting.Name(), r.Metric, b, r.Status, r.Value, a, want)
		}
		compared++
	}
	return compared
}

const externalSettings = `
metrics: [accuracy, ece, aece, nll, brier]
settings:
  - {dataset: d, backbone: [a, b]}
  - {dataset: d-c, backbone: a, corruption: fog, severity: [1, 3], calibrate_on: d}
`

// TestExternalProgramGivesTheSameNumbers: temperature scaling as a separate program
// gives the numbers of ts. One fit serves the shifted sets too. Stored results are
// not computed again and need no permission.
func TestExternalProgramGivesTheSameNumbers(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the same spec in two ways; calib/external has shorter tests")
	}
	program := built(t, "./external/temperature")
	spec := "name: t\nmethods: [ts, {name: mine, method: external, options: {command: [" + program + "]}}]\n" + externalSettings
	w := newWorld(t)
	out, want := w.allowed(spec, RunOptions{Workers: 2})
	if out.Fitted != 4 || out.Failed+out.Skipped > 0 {
		t.Errorf("%+v: want 4 fits, none failed or skipped: %v", out, out.Reasons)
	}
	if n := checkSame(t, out, "ts", "mine", 1e-9); n != 20 {
		t.Errorf("%d values compared, want 20", n)
	}
	for _, x := range out.Rows.Times {
		if x.Method == "mine" && !(x.Known && x.Seconds > 0 && x.Rows > 0 && x.Instructions == "") {
			t.Errorf("time of the program: %+v", x)
		}
	}
	again, got := w.run(spec, RunOptions{}) // not allowed, and not needed
	if again.Fitted+again.Scored+again.Skipped != 0 || got != want {
		t.Errorf("again: %d fits, %d scored, %d skipped, same bytes: %t", again.Fitted, again.Scored, again.Skipped, got == want)
	}
	if _, got := newWorld(t).allowed(spec, RunOptions{Workers: 1}); got != want {
		t.Error("one worker gives other bytes")
	}
}

// TestServedProgramGivesTheSameNumbers: the two forms of a program give the same numbers for
// any number of workers, and the store has them under keys of their own. The time of a fit by
// a program that serves is not known.
func TestServedProgramGivesTheSameNumbers(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program and runs it in two forms; calib/external has shorter tests")
	}
	program := built(t, "../calib/external/testdata/hostile")
	options := "options: {command: [" + program + ", well]}}"
	spec := "name: t\nmethods: [{name: a, method: external, " + options + ", {name: b, method: served, " + options + "]\n" + externalSettings
	w := newWorld(t)
	if got := fmt.Sprint(statuses(first(w.run(spec, RunOptions{})))); !strings.Contains(got, "b: skip runs a program") {
		t.Errorf("without a permission: %s", got)
	}
	out, want := w.allowed(spec, RunOptions{Workers: 3})
	if out.Fitted != 4 || out.Failed+out.Skipped > 0 {
		t.Errorf("%+v: want 4 fits, none failed or skipped: %v", out, out.Reasons)
	}
	if n := checkSame(t, out, "a", "b", 0); n != 20 {
		t.Errorf("%d values compared, want 20", n)
	}
	for _, x := range out.Rows.Times {
		if x.Method == "b" && x.Known {
			t.Errorf("time of a program that serves: %+v", x)
		}
	}
	again, got := w.run(spec, RunOptions{})
	if again.Fitted+again.Scored+again.Skipped != 0 || got != want {
		t.Errorf("again: %d fits, %d scored, %d skipped, same bytes: %t", again.Fitted, again.Scored, again.Skipped, got == want)
	}
	if _, got := newWorld(t).allowed(spec, RunOptions{Workers: 1}); got != want {
		t.Error("one worker gives other bytes")
	}
}

// first returns the outcome alone.
func first(out *Outcome, _ string) *Outcome { return out }

// TestProgramNeedsPermission: without it no program runs; the other methods do.
func TestProgramNeedsPermission(t *testing.T) {
	w := newWorld(t)
	mark := filepath.Join(t.TempDir(), "mark")
	out, _ := w.run("name: t\nmethods: [ts, {name: mine, method: external, options: {command: [touch, "+mark+"]}}]\nmetrics: [ece]\nsettings: {dataset: d, backbone: a}\n", RunOptions{})
	want := "[ts: ok mine: skip runs a program; allow it with --allow-exec, if you trust the spec and what it names]"
	if got := fmt.Sprint(statuses(out)); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("the program ran")
	}
}

// TestEditedProgramIsFittedAgain: a fit belongs to the bytes of the program, of the
// files among its arguments, and of the files in its options.
func TestEditedProgramIsFittedAgain(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program and runs it seven times")
	}
	w := newWorld(t)
	program := built(t, "../calib/external/testdata/hostile")
	arg, file := filepath.Join(w.data, "well"), filepath.Join(w.data, "module")
	spec := fmt.Sprintf("name: t\nmethods: [{name: mine, method: external, options: {command: [%s, %s], files: [%s]}}]\nmetrics: [ece]\nsettings: {dataset: d, backbone: a}\n", program, arg, file)
	edit := func(path, text string) {
		if err := os.WriteFile(path, []byte(text), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	edit(arg, "1")
	edit(file, "1")
	for i, step := range []struct {
		path, text string
		fits       int
	}{{arg, "1", 1}, {arg, "1", 0}, {arg, "2", 1}, {file, "2", 1}, {file, "1", 0}, {arg, "1", 0}} {
		edit(step.path, step.text)
		if out, _ := w.allowed(spec, RunOptions{}); out.Fitted != step.fits || out.Failed > 0 {
			t.Errorf("step %d: %d fits, want %d; %v", i, out.Fitted, step.fits, out.Reasons)
		}
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	out, _ := w.allowed(spec, RunOptions{})
	if got := statuses(out)[0]; !strings.HasSuffix(got, "module: no such file or directory") {
		t.Errorf("%s", got)
	}
}

// TestHostileProgramIsOneRow: whatever a program does, there is a row that says so and
// the run goes on.
func TestHostileProgramIsOneRow(t *testing.T) {
	if testing.Short() {
		t.Skip("starts 20 programs; calib/external tests each misbehaviour")
	}
	program := built(t, "../calib/external/testdata/hostile")
	hostile := []struct{ how, want string }{
		{"serve-leaves", `fail fit ended with exit status 4; it said: not today`},
		{"serve-raises", `fail fit raised ValueError: no rows \| in DIR \(mine.py:12\)`},
		{"serve-well", `ok`},
		{"fit-exit", `fail fit ended with exit status 3; it said: first line \| no convergence in cal`},
		{"fit-hang", `fail fit ran longer than its limit of 200ms and was killed(; it said: child \d+)?`},
		{"hang", `fail apply ran longer than its limit of 200ms and was killed(; it said: child \d+)?`},
		{"flood", `fail apply wrote more than 8 MiB and was killed`},
		{"garbage", `fail probs.npy: .+`},
		{"rows", `fail probs.npy: shape \[299 5\]; the test set has 300 rows and 5 classes`},
		{"nan", `fail probs.npy: row 0, class 0: NaN.*`},
		{"negative", `fail probs.npy: row 0, class 0: -0.2 is not a probability`},
		{"sum", `fail probs.npy: row 0: probabilities sum to 1.001, which is not 1 within 1.3e-06`},
		{"well", `ok`},
		{"logits", `ok`},
	}
	spec := "name: t\nmetrics: [ece]\nsettings: {dataset: d, backbone: a}\nmethods:\n  - ts\n"
	for _, h := range hostile {
		limit := "1m"
		if strings.HasSuffix(h.how, "hang") {
			limit = "200ms"
		}
		method := "external"
		if strings.HasPrefix(h.how, "serve") {
			method = "served"
		}
		spec += fmt.Sprintf("  - {name: x-%s, method: %s, options: {command: [%s, %s], limit: %s, disk_mib: 8}}\n", h.how, method, program, h.how, limit)
	}
	spec += "  - {name: nowhere, method: external, options: {command: [bin/nowhere]}}\n  - uncal\n"
	w := newWorld(t)
	out, _ := w.allowed(spec, RunOptions{})
	got := statuses(out)
	if len(got) != len(hostile)+3 || got[0] != "ts: ok" || got[len(got)-1] != "uncal: ok" {
		t.Fatalf("%q", got)
	}
	hostile = append(hostile, struct{ how, want string }{"", `fail nowhere: program bin/nowhere: no such file or directory`})
	for i, h := range hostile {
		_, said, _ := strings.Cut(got[i+1], ": ")
		if !regexp.MustCompile("^" + h.want + "$").MatchString(said) {
			t.Errorf("%s: %s, want %s", h.how, said, h.want)
		}
	}
	if out.Failed != len(hostile)-3 {
		t.Errorf("%d failed, %v", out.Failed, out.Reasons)
	}
	// Failures are not stored: all of them are tried again.
	if again := w.planWith(spec, PlanOptions{AllowExec: true}).Counts()[Miss]; again != out.Failed-1 {
		t.Errorf("%d to do, want %d", again, out.Failed-1)
	}
}

// TestMatrixScalingFindsTheTruth: the example in Python finds the matrix that the
// labels were drawn with, which no temperature can express. The test needs numpy.
func TestMatrixScalingFindsTheTruth(t *testing.T) {
	if testing.Short() {
		t.Skip("starts Python with numpy and trains")
	}
	python := ""
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(name, "-c", "import numpy").Run() == nil {
			python = name
			break
		}
	}
	if python == "" {
		t.Skip("no python3 with numpy")
	}
	script, err := filepath.Abs("external/matrix_scaling.py")
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t)
	for _, split := range []string{"cal", "test"} {
		w.write("m/a/"+split, biased(split))
	}
	out, _ := w.allowed(fmt.Sprintf(`
name: t
methods: [uncal, ts, {name: ms, method: external, options: {command: [%s, %s]}}]
metrics: [nll, ece]
settings: {dataset: m, backbone: a}
`, python, script), RunOptions{})
	if out.Failed > 0 {
		t.Error(out.Reasons)
	}
	nll := map[string]float64{}
	for _, r := range out.Rows.Records {
		if r.Metric == "nll" {
			nll[r.Method] = r.Value
		}
	}
	// The truth has the smallest expected NLL. 12 parameters fitted on 3,000 rows
	// cost about 12/6,000 = 0.002 nats more, in expectation.
	truth := trueNLL(biased("test"))
	if !(nll["ms"] < truth+0.01 && nll["ts"] > truth+0.05) {
		t.Errorf("NLL %v; of the truth %v", nll, truth)
	}
}

// biased draws labels from softmax(z W + b) with a W that mixes classes.
func biased(split string) *data.Set {
	const n, k = 3000, 3
	state := uint64(len(split))
	uniform := func() float64 { // Knuth's linear congruential generator
		state = state*6364136223846793005 + 1442695040888963407
		return float64(state>>11) / (1 << 53)
	}
	set := &data.Set{Logits: data.NewMatrix(n, k), Labels: make([]int32, n)}
	for i := range n {
		for j := range k {
			set.Logits.Row(i)[j] = float32(6*uniform() - 3)
		}
		p, u := truth(set.Logits.Row(i)), uniform()
		for u >= p[set.Labels[i]] && set.Labels[i] < k-1 {
			u -= p[set.Labels[i]]
			set.Labels[i]++
		}
	}
	return set
}

func truth(z []float32) []float64 {
	mixed := []float32{0.5*z[0] - z[1] + 1, 0.2*z[1] + 0.6*z[2], 0.7*z[2] - 0.5*z[0] - 1}
	return softmax.Probs(make([]float64, 3), mixed, 1)
}

func trueNLL(set *data.Set) float64 {
	sum := 0.0
	for i, y := range set.Labels {
		sum -= math.Log(truth(set.Logits.Row(i))[y])
	}
	return sum / float64(len(set.Labels))
}

// TestPrecomputedProbabilities are scored as they are, each setting by its own file.
// A missing file is a skip, a wrong one a failure.
func TestPrecomputedProbabilities(t *testing.T) {
	w := newWorld(t)
	keep := func(data.Probs) {}
	w.putProbs("d/a", "d/a/test", keep)
	w.putProbs("d/a/rescale=2", "d/a/test", keep)
	w.putProbs("d-c/a/fog/1", "d-c/a/fog/1", keep)
	w.putProbs("d-c/a/fog/3", "d/a/test", keep) // 300 rows in place of 200
	w.putProbs("d/b", "d/b/test", func(p data.Probs) { p.Row(7)[2] = 0.99 })
	const spec = `
name: t
methods: [uncal, {name: mine, method: precomputed, options: {path: "mine/{dataset}/{backbone}/{corruption}/{severity}/probs.npy"}}]
metrics: [nll, ece]
settings:
  - {dataset: d, backbone: [a, b]}
  - {dataset: d-c, backbone: a, corruption: fog, severity: [1, 3], calibrate_on: d}
  - {dataset: d, backbone: a, rescale: [2, 3]}
`
	out, _ := w.run(spec, RunOptions{Workers: 2})
	want := map[string]string{
		"d/a":           "ok",
		"d/b":           "fail mine/d/b/probs.npy: row 7: probabilities sum to .+",
		"d-c/a/fog/1":   "ok",
		"d-c/a/fog/3":   `fail mine/d-c/a/fog/3/probs.npy: shape \[300 5\]; the test set has 200 rows and 5 classes`,
		"d/a/rescale=2": "ok",
		"d/a/rescale=3": "skip there is no mine/d/a/rescale=3/probs.npy, neither below a --data folder nor in the project",
	}
	uncal := map[string]float64{}
	for _, r := range out.Rows.Records {
		name := r.Setting.Name() + " " + r.Metric
		if r.Method == "uncal" {
			uncal[name] = r.Value
			continue
		}
		said := strings.TrimSpace(string(r.Status) + " " + r.Note.String())
		if !regexp.MustCompile("^" + want[r.Setting.Name()] + "$").MatchString(said) {
			t.Errorf("%s: %s, want %s", name, said, want[r.Setting.Name()])
		}
		// The file of the rescaled set has the probabilities of the clean set. Files
		// are scored as they are, and uncal from its logits.
		if value := uncal[strings.Replace(name, "/rescale=2", "", 1)]; r.Status == results.OK && !(math.Abs(r.Value-value) <= 1e-14*value) {
			t.Errorf("%s: %v, want %v", name, r.Value, value)
		}
	}
	// A changed file is scored again.
	w.putProbs("d/a", "d/a/test", func(p data.Probs) { p.Row(0)[0], p.Row(0)[1] = p.Row(0)[1], p.Row(0)[0] })
	if again, _ := w.run(spec, RunOptions{}); again.Scored != 1 {
		t.Errorf("%d scored after an edit, want 1", again.Scored)
	}
	// With First, only the first rows of the files are read. The file of fog/3 has
	// enough of them, and the mistake in row 7 is not read.
	quick, err := w.planWith(spec, PlanOptions{First: 5}).Run(t.Context(), RunOptions{})
	if err != nil || quick.Failed != 0 || quick.Skipped != 1 {
		t.Errorf("the first 5 rows: %v, %d failed, %d skipped", err, quick.Failed, quick.Skipped)
	}
}

// putProbs writes the probabilities of the logits in a folder to
// mine/<name>/probs.npy.
func (w *world) putProbs(name, of string, change func(data.Probs)) {
	w.t.Helper()
	r, err := data.Files{Logits: filepath.Join(w.data, of, "logits.npy")}.Open()
	if err != nil {
		w.t.Fatal(err)
	}
	defer r.Close()
	set, err := data.Read(context.Background(), r, 0, r.Rows())
	if err != nil {
		w.t.Fatal(err)
	}
	p := data.NewProbs(set.Logits.Rows, set.Logits.Cols)
	for i := range p.Rows {
		softmax.Probs(p.Row(i), set.Logits.Row(i), 1)
	}
	change(p)
	path := filepath.Join(w.data, "mine", name, "probs.npy")
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		w.t.Fatal(err)
	}
	if err := npy.WriteFloat64(path, p.Data, p.Rows, p.Cols); err != nil {
		w.t.Fatal(err)
	}
}
