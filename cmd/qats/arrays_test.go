package main

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/qats-bench/qats/internal/kernel/half"
)

// array FILE DTYPE WHAT N K: writes an .npy file of n x k numbers, or of n
// labels, or adds it to an archive FILE.npz#MEMBER. For one N and K the logits are the
// same for every DTYPE and WHAT:
//
//	logits       normal of deviation 3, as float32
//	probs        their softmax; probs3 and probs4 with so many decimals
//	logprobs     its logarithm
//	sigmoid      of each logit
//	onehot       1 for the largest
//	offset=X     logits + X, one X a row
//	deep         logits 225 times as large: probabilities down to 1e-300 and less
//	masked       logits with -Inf where (i + 2j) mod 5 = 0 and j is not the label
//	labels       drawn from the softmax of half the logits
//	labels+1     the same, counted from 1
//	labels-predicted  the largest logits
//	confidence   the largest of probs, n; percent the same times 100
//	correct      1 where the largest logit is that of the label, n
//	labels-nan   NaN in their place
//	transposed   logits, k x n
//	shifted      logits whose classes moved up by one, the last to the first place
//	background   the same behind a column of an unlikely class, n x k+1
//	labels-void=V  labels with V in rows 1, 4, 7, ...
//	X-kept       logits or labels without these rows, of which N counts all
//	reversed     logits in the reverse order of the rows; labels-reversed likewise
func array(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 5 {
		ts.Fatalf("usage: array FILE DTYPE WHAT N K")
	}
	n, err1 := strconv.Atoi(args[3])
	k, err2 := strconv.Atoi(args[4])
	if err1 != nil || err2 != nil {
		ts.Fatalf("array: %v, %v", err1, err2)
	}
	path := ts.MkAbs(args[0])
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		ts.Fatalf("%v", err)
	}
	what, descr := args[2], "<"+args[1]
	shape := fmt.Sprintf("(%d, %d)", n, k)
	switch {
	case what == "background":
		shape = fmt.Sprintf("(%d, %d)", n, k+1)
	case what == "transposed":
		shape = fmt.Sprintf("(%d, %d)", k, n)
	case strings.HasPrefix(what, "labels"), what == "confidence", what == "percent", what == "correct":
		shape = fmt.Sprintf("(%d,)", n)
	}
	if strings.HasSuffix(what, "-kept") {
		shape = strings.Replace(shape, strconv.Itoa(n), strconv.Itoa(n-(n+1)/3), 1)
	}
	var body []byte
	for _, v := range numbers(what, n, k) {
		switch args[1] {
		case "f2":
			body = binary.LittleEndian.AppendUint16(body, half.FromFloat32(float32(v)))
		case "f4":
			body = binary.LittleEndian.AppendUint32(body, math.Float32bits(float32(v)))
		case "f8":
			body = binary.LittleEndian.AppendUint64(body, math.Float64bits(v))
		case "i4":
			body = binary.LittleEndian.AppendUint32(body, uint32(v))
		default:
			ts.Fatalf("array: dtype %s", args[1])
		}
	}
	file := npyOf(dict(descr, shape), body...)
	if archive, member, ok := strings.Cut(path, "#"); ok {
		if err := addMember(archive, member, file); err != nil {
			ts.Fatalf("%v", err)
		}
		return
	}
	if err := os.WriteFile(path, file, 0o666); err != nil {
		ts.Fatalf("%v", err)
	}
}

// addMember adds a .npy to an archive, which need not exist.
func addMember(path, member string, file []byte) error {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	if old, err := zip.OpenReader(path); err == nil {
		defer old.Close()
		for _, f := range old.File {
			if err := w.Copy(f); err != nil {
				return err
			}
		}
	}
	f, err := w.Create(member + ".npy")
	if err == nil {
		_, err = f.Write(file)
	}
	if err = errors.Join(err, w.Close()); err != nil {
		return err
	}
	return os.WriteFile(path, b.Bytes(), 0o666)
}

func numbers(what string, n, k int) []float64 {
	rng := rand.New(rand.NewPCG(uint64(n), uint64(k)))
	var out []float64
	for i := range n {
		row := make([]float64, k)
		for j := range row {
			row[j] = float64(float32(3 * rng.NormFloat64()))
		}
		label := draw(softmaxOf(row, 2), rng.Float64())
		p := softmaxOf(row, 1)
		kind, arg, _ := strings.Cut(strings.TrimSuffix(what, "-kept"), "=")
		if strings.HasSuffix(what, "-kept") && isVoid(i) {
			continue
		}
		switch kind {
		case "labels-void":
			row = []float64{float64(label)}
			if void, _ := strconv.Atoi(arg); isVoid(i) {
				row[0] = float64(void)
			}
		case "labels", "labels-reversed":
			row = []float64{float64(label)}
		case "labels-predicted":
			row = []float64{float64(draw(p, -1))}
		case "confidence":
			row = []float64{p[draw(p, -1)]}
		case "percent":
			row = []float64{100 * p[draw(p, -1)]}
		case "correct":
			if row = []float64{0}; draw(p, -1) == label {
				row[0] = 1
			}
		case "labels-nan":
			row = []float64{math.NaN()}
		case "labels+1":
			row = []float64{float64(label + 1)}
		case "probs":
			row = p
		case "probs3", "probs4":
			unit := math.Pow(10, float64(kind[5]-'0'))
			for j := range row {
				row[j] = math.Round(p[j]*unit) / unit
			}
		case "logprobs":
			for j := range row {
				row[j] = math.Log(p[j])
			}
		case "sigmoid":
			for j := range row {
				row[j] = 1 / (1 + math.Exp(-row[j]))
			}
		case "onehot":
			top := draw(p, -1)
			clear(row)
			row[top] = 1
		case "offset":
			offset, _ := strconv.ParseFloat(arg, 64)
			for j := range row {
				row[j] += offset
			}
		case "masked":
			for j := range row {
				if (i+2*j)%5 == 0 && j != label {
					row[j] = math.Inf(-1)
				}
			}
		case "shifted":
			row = append(row[k-1:], row[:k-1]...)
		case "background":
			row = append([]float64{-20}, row...)
		case "extreme": // the first row, and its label is probably the last class
			for j := range row {
				if len(out) == 0 {
					row[j] *= -400
				}
			}
		case "deep":
			for j := range row {
				row[j] = float64(float32(225 * row[j]))
			}
		}
		if strings.HasSuffix(what, "reversed") {
			out = append(row, out...)
		} else {
			out = append(out, row...)
		}
	}
	if what == "transposed" {
		wide := make([]float64, len(out))
		for i := range out {
			wide[i%k*n+i/k] = out[i]
		}
		return wide
	}
	return out
}

// isVoid reports whether row i has no class in labels-void.
func isVoid(i int) bool { return i%3 == 1 }

func softmaxOf(row []float64, t float64) []float64 {
	most := math.Inf(-1)
	for _, l := range row {
		most = max(most, l)
	}
	p, sum := make([]float64, len(row)), 0.0
	for j, l := range row {
		p[j] = math.Exp((l - most) / t)
		sum += p[j]
	}
	for j := range p {
		p[j] /= sum
	}
	return p
}

// draw returns the class whose share contains u; for u below 0, the most probable
// one.
func draw(p []float64, u float64) int {
	top := 0
	for j, v := range p {
		if u >= 0 {
			if u < v {
				return j
			}
			u -= v
		} else if v > p[top] {
			top = j
		}
	}
	return top
}
