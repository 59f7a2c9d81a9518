package results

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results/internal/csvfile"
)

// fuzzCSV checks that any bytes are read or rejected without a panic, and that writing
// keeps what was read: read, write, read gives the same rows and write gives the same
// bytes. The seeds are the file of rows and what spreadsheets and people make of it.
func fuzzCSV[T any](f *testing.F, format csvfile.Format[T], rows []T) {
	var b bytes.Buffer
	if err := format.Write(&b, rows); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add(append([]byte("\xef\xbb\xbf"), bytes.ReplaceAll(b.Bytes(), []byte("\n"), []byte("\r\n"))...))
	for _, c := range [][2]string{{"0.5", "0x1p-7"}, {"0.25", "1.79769313499e308"}, {"note", "\"no\rte\xff\""}, {"ts", "\"t\ns\""}, {"100", "-1"}, {",", ";"}} {
		f.Add(bytes.ReplaceAll(b.Bytes(), []byte(c[0]), []byte(c[1])))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		first, err := format.Read(bytes.NewReader(file), "fuzz")
		if err != nil {
			if !strings.HasPrefix(err.Error(), "fuzz:") {
				t.Fatalf("an error without a place: %v", err)
			}
			return
		}
		var one, two bytes.Buffer
		if err := format.Write(&one, first); err != nil {
			t.Fatalf("read but not written: %v", err)
		}
		second, err := format.Read(bytes.NewReader(one.Bytes()), "again")
		if err != nil {
			t.Fatalf("written but not read: %v\n%s", err, &one)
		}
		if !reflect.DeepEqual(first, second) {
			t.Fatalf("%v became %v", first, second)
		}
		if err := format.Write(&two, second); err != nil || !bytes.Equal(one.Bytes(), two.Bytes()) {
			t.Fatalf("%v\n%s\nbecame\n%s", err, &one, &two)
		}
	})
}

var fuzzed = Setting{Experiment: "e", Dataset: "d", Backbone: "b", Loss: "ce", Corruption: "fog", Severity: 2}

func FuzzResultsCSV(f *testing.F) {
	fuzzCSV(f, resultsFormat, append(sampleRecords(), Record{Setting: fuzzed, Method: "ts", Metric: "mine", Value: 0.25, N: 100, Source: "measured", Status: OK, Note: noted(everyFact), Key: "k"}))
}

func FuzzBinsCSV(f *testing.F) {
	fuzzCSV(f, binsFormat, []Bin{
		{Setting: fuzzed, Method: "ts", Binning: "width15", Bin: 3, Lo: 0.25, Hi: 0.5, N: 100, Conf: 0.3, Acc: 0.25, Source: "measured"},
		{Setting: fuzzed, Method: "ts", Binning: "width15", Bin: 4, Lo: 0.5, Hi: 1, Source: "simulated"},
	})
}

func FuzzPairsCSV(f *testing.F) {
	fuzzCSV(f, pairsFormat, []Pair{
		{Setting: fuzzed, Method: "ir", Against: "ts", Metric: "ece", Difference: 0.25, Lo: -0.25, Hi: 0.5, N: 100, Source: "measured",
			Interval: metrics.Percentile, Verdict: &metrics.Verdict{By: "sce_mass15", Difference: 1e-4, Lo: -1e-5, Hi: 2e-4, P: 0.25}},
		{Setting: fuzzed, Method: "ir", Against: "ts", Metric: "nll", Difference: -1e-9, Lo: -3, Hi: 1e10, N: 100, Source: "simulated", Interval: metrics.Normal, Note: noted(`[{"kind":"reason","text":"note"}]`)},
	})
}

func FuzzClassesCSV(f *testing.F) {
	fuzzCSV(f, classesFormat, []Class{
		{Setting: fuzzed, Method: "ts", Class: 1, Name: "a note", N: 100, Freq: 0.5, Conf: 0.25, ECE: 0.5, Source: "measured"},
		{Setting: fuzzed, Method: "ts", Class: 2, Conf: 0.25, ECE: 0.25, Source: "simulated"},
	})
}

func FuzzFitsCSV(f *testing.F) {
	fuzzCSV(f, fitsFormat, []Parameter{
		{Setting: fuzzed, Method: "ts", Name: "T", Value: 0.5, Bound: "lower", Source: "measured"}, {Setting: fuzzed, Method: "ts", Warning: "a note", Source: "simulated"},
	})
}

func FuzzTimesCSV(f *testing.F) {
	fuzzCSV(f, timesFormat, []Time{{Setting: fuzzed, Method: "ts", Source: "measured", Seconds: 0.25, Known: true, Rows: 100, Classes: 10, Processor: "=note", Instructions: "avx2"}})
}

// FuzzRun hands arbitrary texts to the reader of run.json. What it accepts survives being
// written and read again.
func FuzzRun(f *testing.F) {
	run := Run{Version: "v1", Command: "qats run a.yaml --out OUT", Keys: KeysDigest(sampleRecords()), Rows: RunRows{1, 2, 3, 4, 5, 6}, Counts: RunCounts{Settings: 1},
		Specs: []RunSpec{{Name: "a", Like: map[string]string{"b": "c"}}}}
	var b bytes.Buffer
	if err := run.write(&b); err != nil {
		f.Fatal(err)
	}
	f.Add(b.String())
	f.Add(`{"qats_run": 2}`)
	f.Add(`{"qats_run": 2, "specs": null, "rows": {"results": -1}, "settings": [{"severity": 1e2}]}`)
	f.Add(`{"qats_run": 1}`)
	f.Fuzz(func(t *testing.T, text string) {
		first, err := decodeRun([]byte(text), "run.json")
		if err != nil {
			if !strings.HasPrefix(err.Error(), "run.json: ") || strings.Contains(err.Error(), "\n") {
				t.Fatalf("an error of several lines, or without a place: %v", err)
			}
			return
		}
		var one, two bytes.Buffer
		if err := first.write(&one); err != nil {
			t.Fatalf("read but not written: %v", err)
		}
		second, err := decodeRun(one.Bytes(), "run.json")
		if err != nil {
			t.Fatalf("written but not read: %v\n%s", err, &one)
		}
		if err := second.write(&two); err != nil || !bytes.Equal(one.Bytes(), two.Bytes()) {
			t.Fatalf("%v\n%s\nbecame\n%s", err, &one, &two)
		}
	})
}
