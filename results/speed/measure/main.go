// Command measure times parts of qats inside one process, for results/speed: the
// parts that no command shows. One task per process, one line of JSON.
//
//	measure DIR TASK [WORKLOAD [METHOD [EPOCHS]]]
//
// GOMAXPROCS sets the number of threads. Seconds are those of the fastest of a few
// runs, after one that is not counted: by the wall clock or, with SPEED_CLOCK=cpu,
// in processor time, which other programs disturb less. Arrays are those of
// data.py, in DIR.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
	"github.com/qats-bench/qats/internal/scoring"
	"github.com/qats-bench/qats/metrics"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: measure DIR TASK [WORKLOAD [METHOD [EPOCHS]]]")
		os.Exit(2)
	}
	task, ok := tasks[os.Args[2]]
	if !ok {
		fmt.Fprintf(os.Stderr, "measure: no task %q\n", os.Args[2])
		os.Exit(2)
	}
	name := "w1"
	if len(os.Args) > 3 {
		name = os.Args[3]
	}
	out, err := task(folder(os.Args[1]), name)
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(out)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(1)
	}
}

// folder is the folder of the arrays.
type folder string

// figures are the values that a task prints, in seconds unless their names say
// otherwise.
type figures map[string]float64

// tasks take the folder and the name of a workload there.
var tasks = map[string]func(at folder, name string) (figures, error){
	"pass":  pass,
	"load":  load,
	"fit":   fit,
	"score": score,
	"boot":  boot,
	"iso":   isotonic,
	"grow":  grow,

	"method": method,
}

// outliers is the number of test rows that stand for out-of-distribution rows, 8 % of
// w2 as hfe takes of 100 classes.
const outliers = 400

// method fits the method named by the fourth argument on a set in memory. The test set
// is its target. A fifth argument is the number of its epochs.
func method(at folder, name string) (figures, error) {
	if len(os.Args) < 5 {
		return nil, errors.New("name a method")
	}
	e, ok := calib.Lookup(os.Args[4])
	if !ok {
		return nil, fmt.Errorf("no method %q", os.Args[4])
	}
	m, err := e.With(func(options []calib.Option) error {
		for _, o := range options {
			if len(os.Args) > 5 && o.Name == "epochs" {
				epochs, err := strconv.Atoi(os.Args[5])
				return errors.Join(err, o.Set(epochs))
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	files := at.files(name, "cal")
	sees := m.Contract()
	if sees.Cal&data.Features != 0 {
		files.Features = filepath.Join(string(at), name+"_cal_features.npy")
	}
	if sees.Cal&data.Head != 0 {
		files.HeadWeight = filepath.Join(string(at), name+"_head_weight.npy")
		files.HeadBias = filepath.Join(string(at), name+"_head_bias.npy")
	}
	set, err := read(files)
	if err != nil {
		return nil, err
	}
	in := calib.Input{Seed: 1}
	if sees.Target != 0 || sees.Cal&data.OOD != 0 {
		test, err := at.read(name, "test")
		if err != nil {
			return nil, err
		}
		set.OOD = test.Logits.Slice(0, outliers)
		in.Target = test.View(sees.Target)
	}
	in.Cal = set.View(sees.Cal)
	s, err := least(2, func() error {
		_, err := m.Fit(ctx, in)
		return err
	})
	if err != nil {
		return nil, err
	}
	return figures{"seconds": s}, nil
}

var ctx = context.Background()

// files names the arrays of one split of a workload.
func (f folder) files(name, split string) data.Files {
	at := func(array string) string { return filepath.Join(string(f), name+"_"+split+"_"+array+".npy") }
	return data.Files{Logits: at("logits"), Labels: at("labels")}
}

func (f folder) read(name, split string) (*data.Set, error) {
	return read(f.files(name, split))
}

func read(files data.Files) (*data.Set, error) {
	r, err := files.Open()
	if err != nil {
		return nil, err
	}
	set, err := r.Read(ctx, 0, r.Rows())
	return set, errors.Join(err, r.Close())
}

// mapped reads a set as fits of large sets do.
func (f folder) mapped(name, split string) (*data.Mapped, error) {
	r, err := f.files(name, split).Open()
	if err != nil {
		return nil, err
	}
	return data.Map(ctx, r)
}

// began is the start of the process.
var began = time.Now()

// clock returns the seconds since the process began: wall time or processor time.
func clock() float64 {
	if os.Getenv("SPEED_CLOCK") != "cpu" {
		return time.Since(began).Seconds()
	}
	return processorSeconds()
}

// least returns the seconds of the fastest of runs runs, after one run that is not
// counted.
func least(runs int, run func() error) (float64, error) {
	best := 0.0
	for i := range runs + 1 {
		begin := clock()
		if err := run(); err != nil {
			return 0, err
		}
		if s := clock() - begin; i == 1 || i > 1 && s < best {
			best = s
		}
	}
	return best, nil
}

// kernel runs the row kernel over all rows, by blocks, on one thread.
func kernel(logits data.Matrix) {
	var moments [256]softmax.Moments
	scale := []float64{.772}
	for lo := 0; lo < logits.Rows; lo += len(moments) {
		part := logits.Slice(lo, min(lo+len(moments), logits.Rows))
		softmax.Rows(moments[:part.Rows], part.Data, part.Cols, scale)
	}
}

// pass is one pass of the kernel over the calibration set, and over
// 8 MB of its logits taken as rows of 10 and of 1,000 classes, in ns a logit.
func pass(at folder, name string) (figures, error) {
	set, err := at.read(name, "cal")
	if err != nil {
		return nil, err
	}
	s, err := least(5, func() error { kernel(set.Logits); return nil })
	out := figures{"seconds": s}
	const n = 2_000_000
	for _, k := range []int{10, 1000} {
		part := data.Matrix{Rows: n / k, Cols: k, Data: set.Logits.Data[:n]}
		s, e := least(20, func() error { kernel(part); return nil })
		out[fmt.Sprintf("ns_k%d", k)], err = 1e9*s/n, errors.Join(err, e)
	}
	return out, err
}

// load opens the calibration logits, checks every value and runs the kernel over
// them once: as a set that is kept, for fits, and (scan) in blocks that stay in the
// cache, as for scoring.
func load(at folder, name string) (figures, error) {
	open := func() (data.Reader, error) { return data.Files{Logits: at.files(name, "cal").Logits}.Open() }
	kept, err1 := least(5, func() error {
		r, err := open()
		if err != nil {
			return err
		}
		set, err := data.Map(ctx, r)
		if err != nil {
			return err
		}
		err = set.Use(func(set *data.Set) error {
			kernel(set.Logits)
			return nil
		})
		return errors.Join(err, set.Close())
	})
	scan, err2 := least(5, func() error {
		r, err := open()
		if err != nil {
			return err
		}
		err = data.Scan(ctx, r, 256, runtime.GOMAXPROCS(0), func(_ int, block *data.Set) error {
			kernel(block.Logits)
			return nil
		})
		return errors.Join(err, r.Close())
	})
	return figures{"seconds": kept, "scan": scan}, errors.Join(err1, err2)
}

// fit reads and checks the calibration set and fits QaTS on it: seconds and passes
// of each stage, in the run with the smallest sum.
func fit(at folder, name string) (figures, error) {
	var best figures
	for range 4 {
		begin := clock()
		last, out := begin, figures{}
		lap := func(stage string, passes float64) {
			now := clock()
			out[stage+"_s"] += now - last
			out[stage+"_passes"] += passes
			last = now
		}
		set, err := at.mapped(name, "cal")
		if err != nil {
			return nil, err
		}
		lap("load", 0)
		var fitted *calib.Fitted
		err = set.Use(func(cal *data.Set) (err error) {
			fitted, err = calib.QaTS{}.Fit(ctx, calib.Input{Cal: cal, Stage: lap})
			return err
		})
		if err != nil {
			return nil, err
		}
		lap("end", 0)
		out["seconds"], out["nll"] = last-begin, fitted.Report.NLL
		if best == nil || out["seconds"] < best["seconds"] {
			best = out
		}
		set.Close()
	}
	set, err := at.read(name, "cal")
	if err != nil {
		return nil, err
	}
	fitted, err := calib.TemperatureScaling{}.Fit(ctx, calib.Input{Cal: set})
	if err != nil {
		return nil, err
	}
	var params struct{ T float64 }
	text, err := json.Marshal(fitted.Map)
	best["T"] = 0
	if err = errors.Join(err, json.Unmarshal(text, &params)); err == nil {
		best["T"] = params.T
	}
	return best, err
}

// scored scores a set at m temperatures.
func scored(set *data.Set, m int) ([]*metrics.Samples, error) {
	list := make([]*scoring.SampleScores, m)
	for c := range list {
		list[c] = scoring.New(set.Logits.Rows)
	}
	scales := make([]float64, 0, set.Logits.Rows*m)
	for c := range m {
		scales = append(scales, 1/(1+.1*float64(c)))
	}
	for len(scales) < cap(scales) {
		scales = append(scales, scales[:m]...)
	}
	if err := scoring.AppendScaled(list, set, scales); err != nil {
		return nil, err
	}
	samples := make([]*metrics.Samples, m)
	for c, s := range list {
		samples[c] = metrics.Of(s)
	}
	return samples, nil
}

// score goes from logits to ECE and AECE of the test set, for one temperature and
// for seven at once.
func score(at folder, name string) (figures, error) {
	set, err := at.read(name, "test")
	if err != nil {
		return nil, err
	}
	out := figures{}
	for key, m := range map[string]int{"seconds": 1, "seven": 7} {
		var e error
		out[key], e = least(3, func() error {
			list, err := scored(set, m)
			for _, s := range list {
				metrics.ECE(s, 15)
				metrics.AECE(s, 15)
			}
			return err
		})
		err = errors.Join(err, e)
	}
	return out, err
}

// boot makes 1,000 resamples of the test set, with ECE and AECE of each, for one
// method and for seven on the same resamples.
func boot(at folder, name string) (figures, error) {
	set, err := at.read(name, "test")
	if err != nil {
		return nil, err
	}
	list, err := scored(set, 7)
	out := figures{}
	for key, m := range map[string]int{"seconds": 1, "seven": 7} {
		var e error
		out[key], e = least(2, func() error {
			_, err := metrics.Pairs(ctx, list[0], list[1:m], metrics.PairOptions{Resamples: 1000})
			return err
		})
		err = errors.Join(err, e)
	}
	return out, err
}

// isotonic fits one-vs-rest isotonic regression on the calibration set and applies
// it to the test set.
func isotonic(at folder, name string) (figures, error) {
	cal, err := at.read(name, "cal")
	if err != nil {
		return nil, err
	}
	test, err := at.read(name, "test")
	if err != nil {
		return nil, err
	}

	probs := data.NewProbs(test.Logits.Rows, test.Logits.Cols)
	s, err := least(1, func() error {
		fitted, err := calib.OneVsRestIsotonic{}.Fit(ctx, calib.Input{Cal: cal})
		if err != nil {
			return err
		}
		calib.Apply(fitted.Map, probs, test.View(data.Logits))
		return nil
	})
	return figures{"seconds": s}, err
}

// grow returns how the seconds of a fit of QaTS grow when the rows double and, per
// pass, when the classes double: the geometric mean of two doublings.
func grow(at folder, name string) (figures, error) {
	set, err := at.read(name, "cal")
	if err != nil {
		return nil, err
	}

	qats := func(part *data.Set) (s, perPass float64, err error) {
		var report calib.Report
		s, err = least(3, func() error {
			fitted, err := calib.QaTS{}.Fit(ctx, calib.Input{Cal: part})
			if err == nil {
				report = fitted.Report
			}
			return err
		})
		return s, s / report.Passes, err
	}
	n := set.Logits.Rows
	small, _, err1 := qats(set.Rows(0, n/4))
	all, wide, err2 := qats(set)
	narrow := columns(set, set.Logits.Cols/4)
	_, slim, err3 := qats(narrow)
	return figures{"rows_ratio_per_doubling": math.Sqrt(all / small), "classes_ratio_per_doubling": math.Sqrt(wide / slim)}, errors.Join(err1, err2, err3)
}

// columns returns the first k columns of the logits, with labels among them.
func columns(set *data.Set, k int) *data.Set {
	part := &data.Set{Logits: data.NewMatrix(set.Logits.Rows, k), Labels: slices.Clone(set.Labels)}
	for i := range part.Labels {
		copy(part.Logits.Row(i), set.Logits.Row(i))
		part.Labels[i] %= int32(k)
	}
	return part
}
