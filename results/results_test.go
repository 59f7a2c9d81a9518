package results

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/metrics"
)

// cell is a clean setting.
func cell(dataset, backbone string) Setting {
	return Setting{Experiment: "standard", Dataset: dataset, Backbone: backbone, Loss: "ce"}
}

func sampleRecords() []Record {
	clean, shifted := cell("cifar10", "resnet50"), cell("cifar100-c", "vit-b16")
	shifted.Corruption, shifted.Severity = "gaussian_noise", 5
	return []Record{
		{Setting: clean, Method: "ts", Metric: "ece", Value: 0.0137, N: 10000, Source: "measured", Status: OK, Key: "ab12"},
		{Setting: clean, Method: "ts", Metric: "nll", Value: 1.0 / 3, N: 10000, Source: "measured", Status: OK,
			Note: Notes{{Kind: Arrays, Text: `arrays "of others"; kept`}, Warn(report.Warning{Text: "did not converge\nsecond line", Steps: 7})}},
		{Setting: shifted, Method: "ts", Metric: "ece", Value: 0, N: 5, Source: "simulated", Status: OK},
		{Setting: shifted, Method: "gc", Metric: "ece", Source: "simulated", Status: Skip, Note: noted(`[{"arrays":"features","kind":"missing","network":"cifar100-c/vit-b16","set":"test"}]`)},
		{Setting: clean, Method: "gc", Metric: "ece", Status: Fail, Note: Because("panic: index out of range")},
	}
}

func TestResultsAreWrittenAndReadBack(t *testing.T) {
	want := `experiment,dataset,backbone,loss,corruption,severity,variant,method,metric,value,n,source,status,note,key
standard,cifar10,resnet50,ce,,,,ts,ece,0.0137,10000,measured,ok,,ab12
standard,cifar10,resnet50,ce,,,,ts,nll,0.333333333,10000,measured,ok,"[{""kind"":""arrays"",""text"":""arrays \""of others\""; kept""},{""kind"":""warning"",""steps"":7,""text"":""did not converge\nsecond line""}]",
standard,cifar100-c,vit-b16,ce,gaussian_noise,5,,ts,ece,0,5,simulated,ok,,
standard,cifar100-c,vit-b16,ce,gaussian_noise,5,,gc,ece,,,simulated,skip,"[{""arrays"":""features"",""kind"":""missing"",""network"":""cifar100-c/vit-b16"",""set"":""test""}]",
standard,cifar10,resnet50,ce,,,,gc,ece,,,,fail,"[{""kind"":""reason"",""text"":""panic: index out of range""}]",
`
	path := filepath.Join(t.TempDir(), "results.csv")
	if err := WriteResults(path, sampleRecords()); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	back, err := ReadResults(path)
	if err != nil {
		t.Fatal(err)
	}
	records := sampleRecords()
	records[1].Value = 0.333333333 // nine digits
	if !reflect.DeepEqual(back, records) {
		t.Errorf("read back\n%v\nwant\n%v", back, records)
	}

	// A byte order mark and CRLF, as spreadsheets write them, change nothing.
	windows := "\ufeff" + strings.ReplaceAll(want, "\n", "\r\n")
	back, err = resultsFormat.Read(strings.NewReader(windows), "results.csv")
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(back, records) {
		t.Errorf("with BOM and CRLF: %v", back)
	}
}

func TestReadingRejectsAndNamesThePlace(t *testing.T) {
	const header = "experiment,dataset,backbone,loss,corruption,severity,variant,method,metric,value,n,source,status,note,key\n"
	const good = "standard,cifar10,resnet50,ce,,,,ts,ece,0.01,100,measured,ok,,\n"
	// with adds a row that differs from good by one replacement.
	with := func(old, new string) string { return header + good + strings.Replace(good, old, new, 1) }
	for _, test := range []struct{ name, file, want string }{
		{"empty", "", `results.csv:1: empty file; want the header experiment,dataset`},
		{"missing", strings.Replace(header, "loss,", "", 1), `results.csv:1: column loss is missing`},
		{"extra", strings.Replace(header, "loss,", "loss,los,", 1), `results.csv:1: column 5: "los" is no column`},
		{"twice", strings.Replace(header, "loss,", "loss,loss,", 1), `results.csv:1: column 5: a second loss`},
		{"swapped", strings.Replace(header, "value,n", "n,value", 1), `results.csv:1: column 10 is n, want value`},
		{"short", with(",,\n", "\n"), `results.csv:3: 13 fields, want 15 (column note and the columns after it are missing)`},
		{"long", with(",,\n", ",,k,x\n"), `results.csv:3: 16 fields, want 15 ("x" is after the last column, key)`},
		{"quote", with("resnet50", `res"net`), `results.csv:3:21: bare " in non-quoted-field`},
		{"open quote", with("resnet50", `"res`), `results.csv:3:`},
		{"NaN", with("0.01", "NaN"), `results.csv:3: column value: "NaN" is not finite`},
		{"Inf", with("0.01", "-inf"), `results.csv:3: column value: "-inf" is not finite`},
		{"overflow", with("0.01", "1e999"), `results.csv:3: column value: "1e999" is not a number`},
		{"hexadecimal", with("0.01", "0x1p-7"), `results.csv:3: column value: "0x1p-7" is not a number`},
		{"word", with("0.01", "1,37"), `results.csv:3: 16 fields, want 15`},
		{"per cent", with("0.01", "1.37"), `results.csv:3: column value: 1.37 is outside [0, 1]`},
		{"negative", with("0.01", "-0.01"), `results.csv:3: column value: -0.01 is outside [0, 1]`},
		{"consistency band", with("ece,0.01", "ece_null_hi,2"), `results.csv:3: column value: 2 is outside [0, 1]`},
		{"status", with(",ok,", ",OK,"), `results.csv:3: column status: "OK" is none of ok, skip, fail`},
		{"source", with("measured", "real"), `results.csv:3: column source: "real" is neither measured nor simulated`},
		{"no source", with("measured", ""), `results.csv:3: column source: "" is neither`},
		{"no value", with("0.01", ""), `results.csv:3: column value: empty, but the status is ok`},
		{"skip with value", with("ok,", `skip,"[{""kind"":""no-time""}]"`), `results.csv:3: column value: a row of status skip has a value`},
		{"skip with n", with("0.01,100,measured,ok,", `,100,measured,skip,"[{""kind"":""no-time""}]"`), `results.csv:3: column n: a row of status skip has 100 rows`},
		{"skip without reason", with("0.01,100,measured,ok", ",,measured,skip"), `results.csv:3: column note: a row of status skip does not say why`},
		{"note of no form", with("ok,,", "ok,a network,"), `results.csv:3: column note: "a network" is no list of notes such as [{"kind":"reason","text":"..."}]`},
		{"note without its text", with("ok,,", `ok,"[{""kind"":""from""}]",`), `results.csv:3: column note: a note of kind from has no text`},
		{"n 0", with("100", "0"), `results.csv:3: column n: "0" is not a whole number of at least 1`},
		{"no n", with("100", ""), `results.csv:3: column n: a value over 0 rows`},
		{"severity 0", with("ce,,,", "ce,,0,"), `results.csv:3: column severity: "0" is not a whole number of at least 1`},
		{"severity", with("ce,,,", "ce,,3.5,"), `results.csv:3: column severity: "3.5"`},
		{"variant", with("ce,,,,", "ce,,,split=0,"), `results.csv:3: column variant: "split=0" is none of rescale=FACTOR, split=DRAW, test_shares=calibration, seed=SEED`},
		{"earlier", strings.NewReplacer("variant,", "", "ce,,,,", "ce,split,1,").Replace(header + good), `results.csv:1: column variant is missing: an earlier version of qats wrote this file; qats run SPEC --out OUT writes it again`},
		{"space", with("ts", " ts"), `results.csv:3: column method: " ts" has spaces around it`},
		{"no dataset", with("cifar10", ""), `results.csv:3: column dataset: empty`},
		{"control", with("cifar10", "\"cif\nar\""), `results.csv:3: column dataset: "cif\nar" has a character that is not text`},
		{"duplicate", header + good + with("ts", "ir")[len(header)+len(good):] + good, `results.csv:4: the same identifiers as line 2 (standard, cifar10, resnet50, ce, , , , ts, ece)`},
		{"same identifiers, other source", with("measured", "simulated"), `results.csv:3: the same identifiers as line 2`},
	} {
		_, err := resultsFormat.Read(strings.NewReader(test.file), "results.csv")
		if err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %s", test.name, err, test.want)
		}
	}
	// Lines are counted in the file, not in records.
	multi := header + good + "\n" + strings.Replace(good, "0.01", "x", 1)
	if _, err := resultsFormat.Read(strings.NewReader(multi), "f"); err == nil || !strings.HasPrefix(err.Error(), "f:4: ") {
		t.Errorf("after an empty line: %v", err)
	}
	if list, err := resultsFormat.Read(strings.NewReader(header), "f"); err != nil || list == nil || len(list) != 0 {
		t.Errorf("header alone: %v, %v", list, err)
	}
}

// Writing rejects what reading rejects, and the old file stays.
func TestWritingRejectsAndKeepsTheOldFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.csv")
	if err := WriteResults(path, sampleRecords()); err != nil {
		t.Fatal(err)
	}
	old, _ := os.ReadFile(path)
	for _, test := range []struct {
		spoil func([]Record) []Record
		want  string
	}{
		{func(r []Record) []Record { r[0].Value = math.NaN(); return r }, "record 1 (standard, cifar10, resnet50, ce, , , , ts, ece): column value: NaN is not finite"},
		{func(r []Record) []Record { r[1].Value = math.Inf(1); return r }, "column value: +Inf is not finite"},
		{func(r []Record) []Record { r[1].Status = ""; return r }, `column status: "" is none of`},
		{func(r []Record) []Record { r[0].Method = ""; return r }, "column method: empty"},
		{func(r []Record) []Record { return append(r, r[1]) }, "records 2 and 6 have the same identifiers"},
	} {
		err := WriteResults(path, test.spoil(sampleRecords()))
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.HasPrefix(err.Error(), path) {
			t.Errorf("got %v, want %s", err, test.want)
		}
	}
	if now, _ := os.ReadFile(path); !bytes.Equal(now, old) {
		t.Error("a rejected write changed the file")
	}
	files, _ := os.ReadDir(filepath.Dir(path))
	if len(files) != 1 {
		t.Errorf("left behind: %v", files)
	}
}

func TestBinsAreWrittenAndReadBack(t *testing.T) {
	c := cell("cifar10", "resnet50")
	bins := []Bin{ // values just above 1 are 1
		{Setting: c, Method: "ts", Binning: "width15", Bin: 0, Lo: 0, Hi: 1.0 / 15, Source: "measured"},
		{Setting: c, Method: "ts", Binning: "width15", Bin: 14, Lo: 14.0 / 15, Hi: 1, N: 7, Conf: 1 + 0x1p-52, Acc: 6.0 / 7, Source: "measured"},
	}
	want := `experiment,dataset,backbone,loss,corruption,severity,variant,method,binning,bin,lo,hi,n,conf,acc,acc_lo,acc_hi,source
standard,cifar10,resnet50,ce,,,,ts,width15,0,0,0.0666666667,0,0,0,,,measured
standard,cifar10,resnet50,ce,,,,ts,width15,14,0.933333333,1,7,1,0.857142857,0.486872171,0.974320376,measured
`
	path := filepath.Join(t.TempDir(), "bins.csv")
	if err := WriteBins(path, bins); err != nil {
		t.Fatal(err)
	}
	got, _ := os.ReadFile(path)
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	back, err := ReadBins(path)
	if err != nil {
		t.Fatal(err)
	}
	var again bytes.Buffer
	if err := binsFormat.Write(&again, back); err != nil || again.String() != want {
		t.Errorf("again: %v\n%s", err, &again)
	}
	for old, message := range map[string]string{
		",7,1,":          `bins.csv:3: column n: no rows, but conf or acc is not 0`,
		",0.857":         `bins.csv:3: column acc: 7.85714286 is outside [0, 1]`,
		"14,0.933":       `bins.csv:3: column bin: "-1" is not a whole number of at least 0`,
		"0.933333333":    `bins.csv:3: column hi: 0.2 is below lo, 0.5`,
		"0.486":          `bins.csv:3: column acc_lo: the end of Wilson's 95 % interval for n and acc is 0.486872171`,
		",0.974320376":   `bins.csv:3: column acc_hi: the end of Wilson's 95 % interval for n and acc is 0.974320376`,
		",,measured":     `bins.csv:2: column acc_hi: 0.1, but the bin has no rows; leave it empty`,
		"acc_lo,acc_hi,": `bins.csv:1: column acc_lo is missing: an earlier version of qats wrote this file; qats run SPEC --out OUT writes it again`,
	} {
		new := map[string]string{",7,1,": ",0,1,", ",0.857": ",7.857", "14,0.933": "-1,0.933", "0.933333333": "0.5", "0.486": "0.487", ",0.974320376": ",", ",,measured": ",0.1,measured"}[old]
		file := strings.Replace(want, old, new, 1)
		if new == "0.5" {
			file = strings.Replace(file, "0.5,1,", "0.5,0.2,", 1)
		}
		if _, err := binsFormat.Read(strings.NewReader(file), "bins.csv"); err == nil || err.Error() != message {
			t.Errorf("got %v, want %s", err, message)
		}
	}
}

func TestPairsAreWrittenAndReadBack(t *testing.T) {
	c := cell("cifar10", "resnet50")
	pairs := []Pair{
		{Setting: c, Method: "qats", Against: "ts", Metric: "ece", Difference: -0.0008, Lo: -0.002, Hi: 0.00012, N: 10000, Source: "measured", Interval: metrics.Percentile,
			Verdict: &metrics.Verdict{By: "sce_mass15", Difference: -2e-5, Lo: -4e-5, Hi: -1e-6, P: .04}},
		{Setting: c, Method: "ir", Against: "ts", Metric: "ece", Difference: 3.2e-12, N: 10000, Source: "measured", Note: Because("3 wrong rows; too few")},
	}
	want := `experiment,dataset,backbone,loss,corruption,severity,variant,method,against,metric,difference,lo,hi,n,source,interval,verdict_by,verdict_difference,verdict_lo,verdict_hi,p,note
standard,cifar10,resnet50,ce,,,,qats,ts,ece,-0.0008,-0.002,0.00012,10000,measured,percentile,sce_mass15,-0.00002,-0.00004,-0.000001,0.04,
standard,cifar10,resnet50,ce,,,,ir,ts,ece,3.2e-12,,,10000,measured,,,,,,,"[{""kind"":""reason"",""text"":""3 wrong rows; too few""}]"
`
	path := filepath.Join(t.TempDir(), "pairs.csv")
	if err := WritePairs(path, pairs); err != nil {
		t.Fatal(err)
	}
	got, _ := os.ReadFile(path)
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if back, err := ReadPairs(path); err != nil || !reflect.DeepEqual(back, pairs) {
		t.Errorf("read back %v, %v", back, err)
	}
	for _, test := range [][3]string{
		{"qats,ts", "ts,ts", `pairs.csv:2: column against: ts is compared with itself`},
		{"-0.002,", "0.5,", `pairs.csv:2: column hi: 0.00012 is below lo, 0.5`},
		{"-0.0008", "-1.2", `pairs.csv:2: column difference: -1.2 is outside [-1, 1]`},
		{"percentile", "bca", `pairs.csv:2: column interval: "bca" is no kind of interval`},
		{"percentile", "", `pairs.csv:2: column interval: an interval and its two ends are given together or not at all`},
		{"0.00012", "", `pairs.csv:2: column interval: an interval and its two ends are given together or not at all`},
		{"sce_mass15", "", `pairs.csv:2: column verdict_by: a verdict and its numbers are given together or not at all`},
		{",0.04,", ",,", `pairs.csv:2: column verdict_by: a verdict and its numbers are given together or not at all`},
		{",0.04,", ",1.04,", `pairs.csv:2: column p: 1.04 is outside [0, 1]`},
		{"-0.000001", "-0.00005", `pairs.csv:2: column verdict_hi: -0.00005 is below verdict_lo, -0.00004`},
	} {
		file := strings.Replace(want, test[0], test[1], 1)
		if _, err := pairsFormat.Read(strings.NewReader(file), "pairs.csv"); err == nil || err.Error() != test[2] {
			t.Errorf("got %v, want %s", err, test[2])
		}
	}
}

func BenchmarkWriteBins(b *testing.B) {
	var list []Bin
	for s := range 1000 {
		for i := range 15 {
			list = append(list, Bin{
				Setting: Setting{Experiment: "a", Dataset: "b", Backbone: fmt.Sprint(s), Loss: "ce"},
				Method:  "ts", Binning: "width", Bin: i, Lo: float64(i) / 15, Hi: float64(i+1) / 15,
				N: 10*i + 1, Conf: (float64(i) + 0.4) / 15, Acc: float64(i) / 16, Source: "measured",
			})
		}
	}
	for b.Loop() {
		if err := binsFormat.Write(io.Discard, list); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(list)), "ns/row")
}

func BenchmarkReadResults(b *testing.B) {
	const n = 20000
	records := make([]Record, n)
	for i := range records {
		records[i] = Record{Setting: cell("cifar10", fmt.Sprint("net", i)), Method: "ts", Metric: "ece",
			Value: float64(i) / n, N: 10000, Source: "measured", Status: OK, Key: Key(fmt.Sprint(i))}
	}
	var file bytes.Buffer
	if err := resultsFormat.Write(&file, records); err != nil {
		b.Fatal(err)
	}
	b.Run(fmt.Sprintf("rows=%d", n), func(b *testing.B) {
		b.SetBytes(int64(file.Len()))
		for b.Loop() {
			if _, err := resultsFormat.Read(bytes.NewReader(file.Bytes()), "f"); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// docs/formats.md describes every column and every kind of stored objects.
func TestPagesNameEveryColumnAndKind(t *testing.T) {
	var kinds []string
	for _, kind := range []Kind{Fit, SampleScores, Scores, Pairs, Inputs} {
		kinds = append(kinds, string(kind))
	}
	page, err := os.ReadFile(filepath.Join("..", "docs", "formats.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range slices.Concat(resultsFormat.Columns, binsFormat.Columns, pairsFormat.Columns, kinds) {
		if !bytes.Contains(page, []byte("`"+word+"`")) {
			t.Errorf("docs/formats.md does not describe %s", word)
		}
	}
}

// Rows are accepted at the ends of their ranges and rejected just beyond.
func TestChecksOfRowsAtTheirEnds(t *testing.T) {
	at := cell("d", "b")
	bin := Bin{Setting: at, Method: "ts", Binning: "ece", Lo: .5, Hi: .5, Source: "measured"}
	conf, acc := bin, bin
	conf.Conf, acc.Acc = .5, .5
	for _, c := range []struct {
		b  Bin
		ok bool
	}{{bin, true}, {conf, false}, {acc, false}} {
		if err := binsFormat.Check(c.b); (err == nil) != c.ok {
			t.Errorf("%+v: %v", c.b, err)
		}
	}
	for _, c := range []struct {
		metric     string
		difference float64
		n          int
		ok         bool
	}{{"ece", 1, 1, true}, {"ece", -1, 1, true}, {"ece", 1.1, 1, false}, {"ece", .5, 0, false}, {"gap", 2, 1, true}, {"gap", 2.1, 1, false}} { // the gap is in [-1, 1]
		p := Pair{Setting: at, Method: "ts", Against: "vs", Metric: c.metric, Difference: c.difference, N: c.n, Source: "measured"}
		if err := pairsFormat.Check(p); (err == nil) != c.ok {
			t.Errorf("%+v: %v", c, err)
		}
	}
	for n, ok := range map[int]bool{0: false, 1: true} {
		r := Record{Setting: at, Method: "ts", Metric: "ece", Value: 1, N: n, Source: "measured", Status: OK}
		if err := resultsFormat.Check(r); (err == nil) != ok {
			t.Errorf("%d rows: %v", n, err)
		}
	}
	bad, negative := at, at
	bad.Corruption, bad.Severity = " fog", 1
	negative.Corruption, negative.Severity = "fog", -1
	for _, c := range []Setting{bad, negative} {
		if c.check() == nil {
			t.Errorf("%+v is accepted", c)
		}
	}
	for _, c := range [][2]int{{-1, 2}, {2, -1}} {
		if err := WriteTimes(filepath.Join(t.TempDir(), "times.csv"), []Time{{Setting: at, Method: "ts", Source: "measured", Rows: c[0], Classes: c[1]}}); err == nil {
			t.Errorf("%d rows of %d classes are accepted", c[0], c[1])
		}
	}
}

// A verdict says win, tie or loss by its interval and the direction of the metric. Values that
// differ by rounding are a tie, and turned around a win is a loss.
func TestOutcomesOfPairs(t *testing.T) {
	verdict := func(lo, hi float64) *metrics.Verdict {
		return &metrics.Verdict{By: "b", Difference: (lo + hi) / 2, Lo: lo, Hi: hi, P: .01}
	}
	for _, c := range []struct {
		metric     string
		difference float64
		verdict    *metrics.Verdict
		want       Outcome
		p          float64
	}{
		{"ece", -.1, verdict(-2, -1), Win, .01}, {"ece", .1, verdict(1, 2), Loss, .01}, {"ece", .1, verdict(-1, 2), Tie, .01},
		{"ece", .1, verdict(-2, -1), Win, .01}, // the basis decides, not the difference of the metric
		{"ece", .1, verdict(0, 1), Tie, .01}, {"ece", .1, nil, Undecided, 0},
		{"accuracy", .1, verdict(1, 2), Win, .01}, {"auroc", -.1, verdict(-2, -1), Loss, .01},
		{"ece", 1e-6, verdict(1, 2), Tie, 1}, {"ece", -9e-7, verdict(1, 2), Tie, 1}, {"ece", 1.1e-6, verdict(1, 2), Loss, .01},
		{"gap", .1, verdict(1, 2), Undecided, .01}, {"unknown", .1, verdict(1, 2), Undecided, .01},
	} {
		p := Pair{Method: "a", Against: "b", Metric: c.metric, Difference: c.difference, Lo: -1, Hi: 3, Verdict: c.verdict}
		if got := p.Outcome(); got != c.want {
			t.Errorf("%+v: outcome %d", c, got)
		}
		turned := map[Outcome]Outcome{Win: Loss, Loss: Win, Tie: Tie}[c.want]
		if got := p.Turned().Outcome(); got != turned {
			t.Errorf("%+v turned: outcome %d", c, got)
		}
		if c.verdict != nil && (p.P() != c.p || p.Turned().P() != c.p) {
			t.Errorf("%+v: P %g", c, p.P())
		}
		if back := p.Turned().Turned(); !reflect.DeepEqual(back, p) {
			t.Errorf("turned twice: %+v", back)
		}
	}
}
