package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/qats-bench/qats/data/npy"
)

// madeSet has the logits and labels of a made network with k classes.
type madeSet struct {
	k      int
	logits []float64
	labels []int32
}

func newMadeSet(n, k int) madeSet {
	rng := rand.New(rand.NewPCG(uint64(n), uint64(k)))
	r := madeSet{k: k}
	for range n {
		y := rng.IntN(k)
		for j := range k {
			z := 1.5 * rng.NormFloat64()
			if j == y {
				z += 2
			}
			r.logits = append(r.logits, z)
		}
		r.labels = append(r.labels, int32(y))
	}
	return r
}

// probs returns the softmax of the logits, times a factor.
func (r madeSet) probs(factor float64) (p []float64) {
	for i := range r.labels {
		for _, v := range softmaxOf(r.logits[i*r.k:][:r.k], 1) {
			p = append(p, factor*v)
		}
	}
	return p
}

// table returns a table of text with the numbers of each row and its label.
func (r madeSet) table(header, comma, format string, values []float64, label func(y int32) string) string {
	var b strings.Builder
	b.WriteString(header + "\n")
	k := len(values) / len(r.labels)
	for i, y := range r.labels {
		for _, v := range values[i*k:][:k] {
			b.WriteString(fmt.Sprintf(format, v) + comma)
		}
		b.WriteString(label(y) + "\n")
	}
	return b.String()
}

func column(k, j int, values []float64) (one []float64) {
	for i := j; i < len(values); i += k {
		one = append(one, values[i])
	}
	return one
}

func narrow(values []float64) (out []float32) {
	for _, v := range values {
		out = append(out, float32(v))
	}
	return out
}

// form is a form in which people have the outputs of a network, with what they type.
type form struct {
	name  string
	make  func(t *testing.T, dir string)
	types []typed
}

// typed is a command: the last one of a form prints the table of methods. says is a pattern of what is said on
// standard error, and mend does what the command before it says.
type typed struct {
	words string
	says  string
	mend  func(t *testing.T, dir string)
}

// Each form of arrays that people have on disk needs one command until the table of methods, or two: then
// the first says in one line what to type.
func TestFormsOfArraysUntilTheFirstTable(t *testing.T) {
	r, two := newMadeSet(300, 4), newMadeSet(300, 2)
	animals := []string{"cat", "dog", "frog", "ship"}
	named := func(y int32) string { return animals[y] }
	number := func(y int32) string { return fmt.Sprint(y) }
	n, k := len(r.labels), r.k
	odds := func() (z []float64) {
		for i := range two.labels {
			z = append(z, two.logits[2*i+1]-two.logits[2*i])
		}
		return z
	}()
	text := func(name, content string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			mustDo(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666))
		}
	}
	archive := func(name string, members ...npy.Column) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			var b bytes.Buffer
			mustDo(t, npy.WriteNPZ(&b, members...))
			mustDo(t, os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o666))
		}
	}
	logP := r.probs(1)
	for i := range logP {
		logP[i] = math.Log(logP[i])
	}
	labelled := func(t *testing.T, dir, logits, labels string, shift int32) {
		y := make([]int32, n)
		for i := range y {
			y[i] = r.labels[i] + shift
		}
		mustDo(t, npy.WriteFloat32(filepath.Join(dir, logits), narrow(r.logits), n, k))
		mustDo(t, npy.WriteInt32(filepath.Join(dir, labels), y, n))
	}
	sets := func(pattern string, networks ...string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			for i, network := range networks {
				for j, split := range []string{"val", "test"} {
					s := newMadeSet(300+20*i+40*j, 3)
					for _, array := range []string{"logits", "labels"} {
						path := filepath.Join(dir, strings.NewReplacer("NETWORK", network, "SPLIT", split, "ARRAY", array).Replace(pattern))
						mustDo(t, os.MkdirAll(filepath.Dir(path), 0o777))
						if array == "labels" {
							mustDo(t, npy.WriteInt32(path, s.labels, len(s.labels)))
							continue
						}
						mustDo(t, npy.WriteFloat32(path, narrow(s.logits), len(s.labels), 3))
					}
				}
			}
		}
	}
	for _, f := range []form{
		{"predict_proba of scikit-learn and y_test", func(t *testing.T, dir string) {
			mustDo(t, npy.WriteFloat64(filepath.Join(dir, "predict_proba.npy"), r.probs(1), n, k))
			mustDo(t, npy.WriteInt32(filepath.Join(dir, "y_test.npy"), r.labels, n))
		}, []typed{
			{words: "try predict_proba.npy y_test.npy", says: `these are probabilities, not logits: .*try: --kind probs`},
			{words: "try predict_proba.npy y_test.npy --kind probs"}}},
		{"the same by its folder", func(t *testing.T, dir string) {
			mustDo(t, npy.WriteFloat64(filepath.Join(dir, "predict_proba.npy"), r.probs(1), n, k))
			mustDo(t, npy.WriteInt32(filepath.Join(dir, "y_test.npy"), r.labels, n))
		}, []typed{{words: "try .", says: `taken are predict_proba with the labels y_test`}}},
		{"one npz under usual names", archive("out.npz", npy.Column{Name: "y_score", Float64: column(2, 1, two.probs(1))}, npy.Column{Name: "y_true", Int32: two.labels}),
			[]typed{{words: "try out.npz", says: `as a flag --kind probs or --kind logits`}, {words: "try out.npz --kind probs", says: "taken are y_score with the labels y_true"}}},
		{"a table with semicolons and decimal commas", text("pred.csv", strings.ReplaceAll(r.table("p0;p1;p2;p3;target", ";", "%.5f", r.probs(1), number), ".", ",")),
			[]typed{{words: "try pred.csv", says: `probabilities in p0, p1, p2, p3, labels in target`}}},
		{"a packed table with tabs, labels as names", func(t *testing.T, dir string) {
			var b bytes.Buffer
			z := gzip.NewWriter(&b)
			z.Write([]byte(r.table("prob_cat\tprob_dog\tprob_frog\tprob_ship\tlabel", "\t", "%.4f", r.probs(1), named)))
			mustDo(t, z.Close())
			mustDo(t, os.WriteFile(filepath.Join(dir, "pred.tsv.gz"), b.Bytes(), 0o666))
		}, []typed{{words: "try pred.tsv.gz", says: `probabilities in prob_cat, prob_dog, prob_frog, prob_ship, labels in label`}}},
		{"labels that are names, as numpy saves them", func(t *testing.T, dir string) {
			labelled(t, dir, "logits.npy", "numbers.npy", 0)
			var body []byte
			for _, y := range r.labels {
				for _, c := range fmt.Sprintf("%-4s", named(y)) {
					body = append(body, byte(c), 0, 0, 0)
				}
			}
			mustDo(t, os.WriteFile(filepath.Join(dir, "labels.npy"), npyOf(dict("<U4", fmt.Sprintf("(%d,)", n)), body...), 0o666))
		}, []typed{{words: "try logits.npy labels.npy", says: `np\.unique\(labels, return_inverse=True\)\[1\] numbers labels that are names, in ascending order$`},
			{words: "try logits.npy numbers.npy"}}}, // the names ascend with the numbers
		{"softmax in float16", func(t *testing.T, dir string) {
			labelled(t, dir, "logits.npy", "targets.npy", 0)
			mustDo(t, os.Remove(filepath.Join(dir, "logits.npy")))
			mustDo(t, npy.WriteFloat16(filepath.Join(dir, "softmax.npy"), narrow(r.probs(1)), n, k))
		}, []typed{{words: "try .", says: "taken are softmax with the labels targets"}}},
		{"maps of images", func(t *testing.T, dir string) {
			labelled(t, dir, "flat.npy", "flat-labels.npy", 0)
			maps := make([]float64, 0, n*k) // 3 images of 10 x 10 pixels, the classes before the pixels
			for image := range 3 {
				for j := range k {
					for pixel := range 100 {
						maps = append(maps, r.logits[(100*image+pixel)*k+j])
					}
				}
			}
			mustDo(t, npy.WriteFloat32(filepath.Join(dir, "logits.npy"), narrow(maps), 3, k, 10, 10))
			mustDo(t, npy.WriteInt32(filepath.Join(dir, "labels.npy"), r.labels, 3, 10, 10))
		}, []typed{{words: "try .", says: `shape \(3, 4, 10, 10\); want n x k; store np\.moveaxis\(logits, 1, -1\)\.reshape\(-1, 4\), and labels\.reshape\(-1\)$`},
			{words: "try flat.npy flat-labels.npy"}}},
		{"log-probabilities", func(t *testing.T, dir string) {
			mustDo(t, npy.WriteFloat64(filepath.Join(dir, "log_probs.npy"), logP, n, k))
			mustDo(t, npy.WriteInt32(filepath.Join(dir, "labels.npy"), r.labels, n))
		}, []typed{{words: "try .", says: "taken are log_probs with the labels labels"}}},
		{"one column of two classes", func(t *testing.T, dir string) {
			mustDo(t, npy.WriteFloat64(filepath.Join(dir, "y_prob.npy"), column(2, 1, two.probs(1)), n))
			mustDo(t, npy.WriteInt32(filepath.Join(dir, "y_true.npy"), two.labels, n))
		}, []typed{{words: "try y_prob.npy y_true.npy", says: `shape \(300,\); .*\(as a flag --kind probs or --kind logits\)$`}, {words: "try y_prob.npy y_true.npy --kind probs"}}},
		{"decision_function of two classes", archive("svm.npz", npy.Column{Name: "decision_function", Float64: odds}, npy.Column{Name: "y_test", Int32: two.labels}),
			[]typed{{words: "try svm.npz", says: "taken are decision_function with the labels y_test"}}},
		{"per cent in a table", text("percent.csv", r.table("cat,dog,frog,ship,label", ",", "%.1f", r.probs(100), named)),
			[]typed{{words: "try percent.csv", says: `every row is in \[0, 100\] and sums to 100: read as per cent`}}},
		{"per cent in an array", func(t *testing.T, dir string) {
			labelled(t, dir, "logits.npy", "labels.npy", 0)
			mustDo(t, npy.WriteFloat64(filepath.Join(dir, "probs.npy"), r.probs(100), n, k))
			mustDo(t, os.Remove(filepath.Join(dir, "logits.npy")))
		}, []typed{{words: "try .", says: `the row sums to 100, as per cent do: divide them by 100$`},
			{words: "try .", mend: func(t *testing.T, dir string) {
				mustDo(t, npy.WriteFloat64(filepath.Join(dir, "probs.npy"), r.probs(1), n, k))
			}}}},
		{"labels as rows with one 1", func(t *testing.T, dir string) {
			labelled(t, dir, "logits.npy", "classes.npy", 0)
			hot := make([]int32, n*k)
			for i, y := range r.labels {
				hot[i*k+int(y)] = 1
			}
			mustDo(t, npy.WriteInt32(filepath.Join(dir, "labels.npy"), hot, n, k))
		}, []typed{{words: "try logits.npy labels.npy"}}},
		{"labels from 1", func(t *testing.T, dir string) { labelled(t, dir, "logits.npy", "labels.npy", 1) },
			[]typed{{words: "try .", says: `they count from 1: store labels - 1$`}, {words: "try .", mend: func(t *testing.T, dir string) { labelled(t, dir, "logits.npy", "labels.npy", 0) }}}},
		{"labels of -1 and 1", func(t *testing.T, dir string) {
			signs := make([]int32, n)
			for i, y := range two.labels {
				signs[i] = 2*y - 1
			}
			mustDo(t, npy.WriteFloat64(filepath.Join(dir, "decision_function.npy"), odds, n))
			mustDo(t, npy.WriteInt32(filepath.Join(dir, "y_test.npy"), signs, n))
		}, []typed{{words: "try .", says: `the labels are -1 and 1: store \(labels \+ 1\) // 2, which is 0 and 1$`},
			{words: "try .", mend: func(t *testing.T, dir string) {
				mustDo(t, npy.WriteInt32(filepath.Join(dir, "y_test.npy"), two.labels, n))
			}}}},
		{"one row a class", func(t *testing.T, dir string) {
			labelled(t, dir, "logits.npy", "labels.npy", 0)
			var turned []float64
			for j := range k {
				turned = append(turned, column(k, j, r.logits)...)
			}
			mustDo(t, npy.WriteFloat32(filepath.Join(dir, "logits.npy"), narrow(turned), k, n))
		}, []typed{{words: "try .", says: `the logits are transposed; store logits\.T, one row a sample$`},
			{words: "try .", mend: func(t *testing.T, dir string) { labelled(t, dir, "logits.npy", "labels.npy", 0) }}}},
		{"a folder a network", sets("NETWORK/SPLIT/ARRAY.npy", "resnet", "vgg"),
			[]typed{{words: "try .", says: `has 2 networks \(.*\), and a trial is of one: name its folder`}, {words: "try vgg"}}},
		{"a folder with files of two sets", sets("SPLIT_ARRAY.npy", ""), []typed{{words: "try ."}}},
	} {
		t.Run(f.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "mine")
			mustDo(t, os.Mkdir(dir, 0o777))
			f.make(t, dir)
			t.Chdir(dir)
			for i, c := range f.types {
				if c.mend != nil {
					c.mend(t, dir)
				}
				var out, said strings.Builder
				status := run(context.Background(), append(strings.Fields(c.words), "--method", "ts"), &out, &said)
				first := regexp.MustCompile(`(?m)^ +method .*NLL +.*ECE`).MatchString(out.String())
				if last := i == len(f.types)-1; first != last || last && status != exitOK {
					t.Errorf("qats %s: status %d, a table: %t\n%s%s", c.words, status, first, out.String(), said.String())
				}
				if lines := strings.Count(said.String(), "\n"); i < len(f.types)-1 && (lines > 2 || strings.HasPrefix(said.String(), "Error")) {
					t.Errorf("qats %s: %d lines\n%s", c.words, lines, said.String())
				}
				if !regexp.MustCompile(`(?m)` + c.says).MatchString(said.String()) {
					t.Errorf("qats %s: no %s in\n%s", c.words, c.says, said.String())
				}
			}
		})
	}
}

func mustDo(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
