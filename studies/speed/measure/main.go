//go:build unix

// Command measure times parts of qats inside one process, for studies/speed: the
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
	"log"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/all"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/metrics/scoring"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("measure: ")
	if len(os.Args) < 3 {
		log.Fatal("usage: measure DIR TASK [WORKLOAD [METHOD [EPOCHS]]]")
	}
	task, ok := tasks[os.Args[2]]
	if !ok {
		log.Fatalf("no task %q", os.Args[2])
	}
	name := "w1"
	if len(os.Args) > 3 {
		name = os.Args[3]
	}
	check(json.NewEncoder(os.Stdout).Encode(task(folder(os.Args[1]), name)))
}

// check ends the process if there is an error: a figure of half a measurement is of no
// use.
func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// must returns v, unless there is an error.
func must[T any](v T, err error) T {
	check(err)
	return v
}

// folder is the folder of the arrays.
type folder string

// figures are the values that a task prints, in seconds unless their names say
// otherwise.
type figures map[string]float64

// tasks take the folder and the name of a workload there.
var tasks = map[string]func(at folder, name string) figures{
	"pass": pass,
	"load": load,
	"fit":  fit,
	"boot": boot,

	"method": method,
}

// outliers is the number of test rows that stand for out-of-distribution rows, 8 % of
// w2 as hfe takes of 100 classes.
const outliers = 400

// method fits the method named by the fourth argument on a set in memory. The test set
// is its target. A fifth argument is the number of its epochs.
func method(at folder, name string) figures {
	if len(os.Args) < 5 {
		log.Fatal("name a method")
	}
	e, ok := all.Lookup(os.Args[4])
	if !ok {
		log.Fatalf("no method %q", os.Args[4])
	}
	draft := e.New()
	for _, o := range draft.Options() {
		if len(os.Args) > 5 && o.Name == "epochs" {
			check(o.Set(must(strconv.Atoi(os.Args[5]))))
		}
	}
	m := must(draft.Method())
	files := at.files(name, "cal")
	sees := m.Contract()
	if sees.Cal&data.Features != 0 {
		files.Features = filepath.Join(string(at), name+"_cal_features.npy")
	}
	if sees.Cal&data.Head != 0 {
		files.HeadWeight = filepath.Join(string(at), name+"_head_weight.npy")
		files.HeadBias = filepath.Join(string(at), name+"_head_bias.npy")
	}
	set := read(files)
	in := calib.Input{Seed: 1}
	if !sees.OODFree() {
		test := at.read(name, "test")
		set.OOD = test.Logits.Slice(0, outliers)
		in.Target = test.View(sees.Target)
	}
	in.Cal = set.View(sees.Cal)
	return figures{"seconds": least(2, func() { must(calib.FitInput(ctx, m, in)) })}
}

var ctx = context.Background()

// files names the arrays of one split of a workload.
func (f folder) files(name, split string) data.Files {
	at := func(array string) string { return filepath.Join(string(f), name+"_"+split+"_"+array+".npy") }
	return data.Files{Logits: at("logits"), Labels: at("labels")}
}

func (f folder) read(name, split string) *data.Set { return read(f.files(name, split)) }

func read(files data.Files) *data.Set {
	r := must(files.Open())
	set := must(data.Read(ctx, r, 0, r.Rows()))
	check(r.Close())
	return set
}

// began is the start of the process.
var began = time.Now()

// clock returns the seconds since the process began: wall time, or the processor time of
// the process, in user and system mode.
func clock() float64 {
	if os.Getenv("SPEED_CLOCK") != "cpu" {
		return time.Since(began).Seconds()
	}
	var u syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// least returns the seconds of the fastest of runs runs, after one run that is not
// counted.
func least(runs int, run func()) float64 {
	best := math.Inf(1)
	for i := range runs + 1 {
		begin := clock()
		run()
		if i > 0 {
			best = min(best, clock()-begin)
		}
	}
	return best
}

// block is the number of rows that a pass takes at once: they stay in the cache.
const block = 256

// passOver scores all rows at one temperature, by blocks, on one thread. A row is read once. Labels
// are 0.
func passOver(logits data.Matrix) {
	empty := scoring.New(block)
	var labels [block]int32
	var scales [block]float64
	for i := range scales {
		scales[i] = .772
	}
	for lo := 0; lo < logits.Rows; lo += block {
		part := logits.Slice(lo, min(lo+block, logits.Rows))
		scores := *empty // each block has the same memory
		check(scoring.AppendScaled([]*scoring.SampleScores{&scores}, &data.Set{Logits: part, Labels: labels[:part.Rows]}, scales[:part.Rows]))
	}
}

// pass is one pass of a fit over the calibration set: the NLL with its derivatives, at one temperature.
func pass(at folder, name string) figures {
	loss := must(calib.NewTemperatureLoss(calib.Input{Cal: at.read(name, "cal")}))
	one := func(_ int, theta, slope []float64) (t, rate, bend float64) {
		slope[0] = 1
		return theta[0], 1, 0
	}
	return figures{"seconds": least(5, func() { must(loss.At(ctx, one, []float64{1.3})) })}
}

// load opens the calibration logits, checks every value and makes one pass over
// them: as a set that is kept, for fits, and (scan) in blocks that stay in the
// cache, as for scoring.
func load(at folder, name string) figures {
	files := data.Files{Logits: at.files(name, "cal").Logits}
	kept := least(5, func() {
		passOver(read(files).Logits)
	})
	scan := least(5, func() {
		r := must(files.Open())
		check(data.Scan(ctx, r, block, runtime.GOMAXPROCS(0), func(_ int, rows *data.Set) error {
			passOver(rows.Logits)
			return nil
		}))
		check(r.Close())
	})
	return figures{"seconds": kept, "scan": scan}
}

// fit reads and checks the calibration set and fits QaTS on it: seconds and passes
// of each stage, in the run with the smallest sum.
func fit(at folder, name string) figures {
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
		cal := at.read(name, "cal")
		lap("load", 0)
		out["nll"] = must(calib.FitInput(ctx, calib.QaTS{}, calib.Input{Cal: cal, Stage: lap})).Report.NLL
		lap("end", 0)
		out["seconds"] = last - begin
		if best == nil || out["seconds"] < best["seconds"] {
			best = out
		}
	}
	for _, p := range must(calib.Fit(ctx, calib.TemperatureScaling{}, at.read(name, "cal"))).Parameters() {
		best[p.Name] = p.Value // T
	}
	return best
}

// scored scores a set at m temperatures.
func scored(set *data.Set, m int) []*metrics.Samples {
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
	check(scoring.AppendScaled(list, set, scales))
	samples := make([]*metrics.Samples, m)
	for c, s := range list {
		samples[c] = metrics.Of(s)
	}
	return samples
}

// boot makes 1,000 resamples of the test set, with ECE and AECE of each, for one
// method and for seven on the same resamples.
func boot(at folder, name string) figures {
	list := scored(at.read(name, "test"), 7)
	of := func(m int) float64 {
		return least(2, func() {
			must(metrics.Pairs(ctx, list[0], list[1:m], metrics.PairOptions{Resamples: 1000}))
		})
	}
	return figures{"seconds": of(1), "seven": of(7)}
}
