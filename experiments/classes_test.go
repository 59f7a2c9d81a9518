package experiments

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/folder"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/internal/kernel/softmax"
	"github.com/qats-bench/qats/results"
)

const classSpec = "name: t\nmethods: [uncal, ts, irova, ir-top]\nmetrics: [ece, ece_classwise]\nsettings: [{dataset: d, backbone: a}]\nbaseline: none\n"

// TestScoresOfEachClass: the ECE of each class is that of its definition, its mean over all
// classes is the class-wise ECE, and a top-label method has none.
func TestScoresOfEachClass(t *testing.T) {
	w := newWorld(t)
	w.manifest("sets:\n  - {set: d, classes: [sky, road, car, tree, \"a, b\"]}\n")
	out, _ := w.run("per_class: true\n"+classSpec, RunOptions{Workers: 1})
	means := map[string]float64{}
	for _, r := range out.Rows.Records {
		if r.Metric == "ece_classwise" && r.Status == results.OK {
			means[r.Method] = r.Value
		}
	}
	unit := w.plan(classSpec, false).Units[0]
	set, err := data.Load(t.Context(), unit.test, unit.Setting.Test(), data.Logits|data.Labels)
	if err != nil {
		t.Fatal(err)
	}
	k, n := set.Logits.Cols, float64(set.Logits.Rows)
	want := make([]results.Class, k)
	gaps := make([][15]float64, k)
	prob := make([]float64, k)
	for i := range set.Logits.Rows {
		for j, v := range softmax.Probs(prob, set.Logits.Row(i), 1) {
			b := min(max(int(math.Ceil(15*v))-1, 0), 14)
			gaps[j][b] += v
			want[j].Conf += v / n
			if j == int(set.Labels[i]) {
				gaps[j][b]--
				want[j].N++
			}
		}
	}
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-12 }
	sums := map[string]float64{}
	for i, c := range out.Rows.Classes {
		sums[c.Method] += c.ECE / float64(k)
		x := want[c.Class]
		for _, g := range gaps[c.Class] {
			x.ECE += math.Abs(g) / n
		}
		if c.Class != i%k || c.N != x.N || !near(c.Freq, float64(x.N)/n) || c.Name != []string{"sky", "road", "car", "tree", "a, b"}[c.Class] || c.Source != "measured" {
			t.Errorf("%+v", c)
		}
		if c.Method == "uncal" && !(near(c.ECE, x.ECE) && near(c.Conf, x.Conf)) {
			t.Errorf("%+v, want ECE %g, confidence %g", c, x.ECE, x.Conf)
		}
	}
	if len(means) != 3 || len(sums) != 3 {
		t.Errorf("class-wise ECE of %v, classes of %v", means, sums)
	}
	for m, v := range means {
		if !near(sums[m], v) {
			t.Errorf("%s: the mean over classes is %g, the class-wise ECE %g", m, sums[m], v)
		}
	}
}

// TestBackgroundIsLeftOutOfTheClasses by number and by name, without another score or fit, and
// classes.csv is written only where a spec asks for it.
func TestBackgroundIsLeftOutOfTheClasses(t *testing.T) {
	w := newWorld(t)
	w.manifest("sets:\n  - {set: d, classes: [sky, road, car, tree, sign]}\n")
	dir := t.TempDir()
	classes := func(spec string) []string {
		t.Helper()
		out, err := w.plan(spec+classSpec, false).Run(context.Background(), RunOptions{Workers: 2, Out: dir})
		if err != nil {
			t.Fatal(err)
		}
		run := results.Run{Keys: out.keys, Rows: out.written}
		if err := results.Folder(dir).WriteRun(run); err != nil {
			t.Fatal(err)
		}
		rows, err := results.Folder(dir).Read()
		if err != nil {
			t.Fatal(err)
		}
		var list []string
		for _, c := range rows.Classes {
			if c.Method == "ts" {
				list = append(list, c.Label())
			}
		}
		if lean, err := results.Folder(dir).ReadWithout(results.BinsFile, results.FitsFile, results.ClassesFile); err != nil || lean.Classes != nil {
			t.Errorf("%v, %v", lean, err)
		}
		return list
	}
	if got := classes("per_class: true\n"); !slices.Equal(got, []string{"sky", "road", "car", "tree", "sign"}) {
		t.Errorf("all: %v", got)
	}
	if got := classes("per_class: true\nbackground: [0, tree]\n"); !slices.Equal(got, []string{"road", "car", "sign"}) {
		t.Errorf("without the background: %v", got)
	}
	out, _ := w.run("background: sky\n"+classSpec, RunOptions{Workers: 1})
	if out.Scored != 0 || out.Fitted != 0 {
		t.Errorf("another background: %d scored, %d fitted", out.Scored, out.Fitted)
	}
	if got := classes(""); got != nil {
		t.Errorf("not asked for: %v", got)
	}
	if _, err := os.Stat(filepath.Join(dir, results.ClassesFile)); err == nil {
		t.Error("the classes of an earlier run are still there")
	}
}

// TestClassesThatDoNotExist are errors of the plan, which name the spec.
func TestClassesThatDoNotExist(t *testing.T) {
	for _, c := range []struct{ manifest, spec, want string }{
		{"", "background: [5]\n", `background "5": no setting has such a class; give a number below that of the classes, or a name (no manifest names classes)`},
		{"", "background: [sky]\n", `background "sky": no setting has such a class; give a number below that of the classes, or a name (no manifest names classes)`},
		{"[sky, road, car, tree, sign]", "background: [lane]\n", `background "lane": no setting has such a class; give a number below that of the classes, or a name (manifest.yaml names sky, road, car, tree, sign)`},
		{"[sky, road]", "", `manifest.yaml names 2 classes of d/a, and its logits have 5: name every column of the logits`},
	} {
		w := newWorld(t)
		if c.manifest != "" {
			w.manifest("sets:\n  - {set: d, classes: " + c.manifest + "}\n")
		}
		s, err := spec.Parse("t.yaml", []byte("per_class: true\n"+c.spec+classSpec), w.known)
		if err != nil {
			t.Fatal(err)
		}
		_, err = MakePlan(t.Context(), []*spec.Spec{s}, PlanOptions{Data: []string{w.data}, Digests: &folder.Digests{}, NoDigests: true})
		if got := fmt.Sprint(err); got != "t.yaml: "+c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}
