package results

import (
	"bytes"
	"strings"
	"testing"
)

// noted returns the note of a text form.
func noted(text string) Notes {
	n, err := ParseNote(text)
	if err != nil {
		panic(err)
	}
	return n
}

// everyFact has a fact of every kind, with all its keys.
const everyFact = `[` + `{"kind":"from","text":"networks; of others"},` +
	`{"kind":"paper"},` +
	`{"kind":"stand-in","text":"28 pixels"},` +
	`{"kind":"samples","text":"cifar10"},` +
	`{"kind":"row-ids","text":"7b01"},` +
	`{"kind":"arrays","text":"a \"b\" = c\n; d"},` +
	`{"kind":"program"},` +
	`{"bin":3,"count":1,"kind":"warning","of":4,"steps":9,"text":"{count} of {of} groups, {steps} steps, {value}","value":0.5},` +
	`{"bin":11,"bound":0.001,"kind":"at-bound","parameter":"t","side":"lower"},` +
	`{"bin":1,"bound":1000,"kind":"at-bound","minus":2,"parameter":"t","side":"upper"},` +
	`{"bin":1,"count":1,"kind":"equal-to-ts","of":2,"steps":3,"text":"a = 0","value":4},` +
	`{"bin":2,"count":1,"kind":"not-converged","of":2,"steps":7,"value":0.0000012},` +
	`{"before":0.025,"kind":"worse","parameter":"ECE","value":0.436},` +
	`{"count":11,"kind":"few-decide","of":5000,"value":0.67},` +
	`{"bound":0.001,"count":125,"kind":"certain","of":524,"parameter":"b","side":"lower"},` +
	`{"count":1,"kind":"shares","of":2,"text":"class 1 has a mean probability of 0.25 and a share of 0.04: vs can"},` +
	`{"arrays":"features+head","kind":"missing","network":"cifar10/resnet50","set":"calibration"},` +
	`{"arrays":"logits+labels","kind":"no-source"},` +
	`{"kind":"no-class-vector"},` +
	`{"kind":"no-time"},` +
	`{"kind":"reason","text":"row 3 is not finite"}]`

// The text form of a note has all that the note has, and every kind has words of its own.
func TestTextFormOfANote(t *testing.T) {
	n := noted(everyFact)
	if got := n.text(); got != everyFact {
		t.Errorf("%s became %s", everyFact, got)
	}
	if len(n) != len(kinds)+1 { // two bounds
		t.Errorf("%d facts of %d kinds", len(n), len(kinds))
	}
	want := []string{"from: networks; of others", "paper: its own network", "stand-in: 28 pixels", "samples: cifar10", "row-ids: 7b01",
		"a \"b\" = c\n; d", "the time includes the start of an external program", "bin 3: 1 of 4 groups, 9 steps, 0.5", "T at its lower bound in bin 11", "t_1 - t_2 at its upper bound", "bin 1: a = 0, so equal to TS",
		"bin 2: not converged: gradient 1.2e-06 after 7 steps", "ECE of the calibration rows rises from 0.025 to 0.436 by the fit",
		"11 of 5000 calibration rows make up 67 % of the NLL before the fit: they decide it",
		"b = 0.001 gives 125 of 524 calibration rows a probability of exactly 1: a new row that is wrong there costs hundreds of nats, so the NLL can rise",
		"class 1 has a mean probability of 0.25 and a share of 0.04: vs can", "needs features and head of the calibration set", "no source has logits and labels",
		"top-label method: no class vector", "no time is stored with its fit", "row 3 is not finite"}
	for i, f := range n {
		if f.String() != want[i] {
			t.Errorf("%q, want %q", f, want[i])
		}
	}
	if err := n.check(); err != nil {
		t.Error(err)
	}
	for text, why := range map[string]string{
		"from: a":                                "invalid character 'r' in literal false (expecting 'a')",
		`{"kind":"paper"}`:                       "json: cannot unmarshal object into Go value of type results.Notes",
		`[{"kind":"paper"}] [`:                   "something follows the list",
		`[{"kind":"paper"}`:                      "unexpected EOF",
		`[{"kind":"colour"}]`:                    `"colour" is no kind of note`,
		`[{"kind":"from","words":"a"}]`:          `json: unknown field "words"`,
		`[{"kind":"warning","count":1.5}]`:       "json: cannot unmarshal number 1.5 into Go struct field noteText.count of type int",
		`[{"kind":"at-bound","bound":"x"}]`:      "json: cannot unmarshal string into Go struct field noteText.bound of type float64",
		`[{"kind":"not-converged","value":0x1}]`: "invalid character 'x' after object key:value pair",
	} {
		if n, err := ParseNote(text); err == nil || !strings.Contains(err.Error(), ": "+why+"; if an earlier version of qats wrote this file, qats run SPEC --out OUT writes it again") {
			t.Errorf("%s: %v, %v, want %s", text, n, err, why)
		}
	}
	for text, why := range map[string]string{`[{"kind":"from"}]`: "a note of kind from has no text", `[{"kind":"missing","set":"test"}]`: "a note of kind missing has no arrays",
		`[{"kind":"at-bound","parameter":"a","bin":-3}]`: "the bin of a note is -3"} {
		if err := noted(text).check(); err == nil || err.Error() != "column note: "+why {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// FuzzNote: what is read has a text form from which the same is read.
func FuzzNote(f *testing.F) {
	f.Add(everyFact)
	f.Add(`[{"kind":"reason","text":"\u0000\ud800ÿ<&>"}]`)
	f.Add(`[{"kind":"warning","text":"a","value":1e-300},{"kind":"paper"}]`)
	f.Fuzz(func(t *testing.T, text string) {
		n, err := ParseNote(text)
		if err != nil || n.check() != nil {
			return
		}
		one := n.text()
		again, err := ParseNote(one)
		if err != nil || !again.Equal(n) || again.text() != one {
			t.Fatalf("%q: %q became %q (%v)", text, one, again.text(), err)
		}
		if strings.ContainsAny(one, "\r\n") {
			t.Fatalf("%q has several lines", one)
		}
	})
}

// Notes are of one sort if they differ in numbers, bins and the network that lacks arrays alone.
func TestKinOfNotes(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{`[{"bin":11,"bound":0.001,"kind":"at-bound","parameter":"t","side":"lower"}]`, `[{"bin":2,"bound":0.01,"kind":"at-bound","parameter":"t","side":"lower"}]`, true},
		{`[{"kind":"at-bound","parameter":"t","side":"lower"}]`, `[{"kind":"at-bound","parameter":"t","side":"upper"}]`, false},
		{`[{"kind":"at-bound","parameter":"t","side":"lower"}]`, `[{"kind":"at-bound","parameter":"b","side":"lower"}]`, false},
		{`[{"count":1,"kind":"warning","of":2,"text":"{count} of {of}"}]`, `[{"count":3,"kind":"warning","of":4,"text":"{count} of {of}"}]`, true},
		{`[{"kind":"not-converged","steps":3}]`, `[{"kind":"not-converged","value":2}]`, true},
		{`[{"arrays":"features","kind":"missing","network":"a/b","set":"test"}]`, `[{"arrays":"features","kind":"missing","network":"a/c","set":"test"}]`, true},
		{`[{"arrays":"features","kind":"missing","set":"test"}]`, `[{"arrays":"features","kind":"missing","set":"calibration"}]`, false},
		{`[{"kind":"reason","text":"1"}]`, `[{"kind":"reason","text":"2"}]`, false},
		{`[{"kind":"from","text":"a"}]`, `[{"kind":"arrays","text":"a"}]`, false},
	} {
		if a, b := noted(c.a)[0], noted(c.b)[0]; (a.Kin() == b.Kin()) != c.same {
			t.Errorf("%s and %s: %v", c.a, c.b, !c.same)
		}
	}
}

// TestStandingOfARecord: only measured records are the paper's own or stand in for
// it, and only if a fact of the note says so.
func TestStandingOfARecord(t *testing.T) {
	for _, c := range []struct {
		source, note string
		paper        bool
		standIn      string
	}{
		{"measured", "", false, ""},
		{"measured", `[{"kind":"paper"}]`, true, ""},
		{"measured", `[{"kind":"from","text":"a"},{"kind":"paper"},{"kind":"arrays","text":"more"}]`, true, ""},
		{"measured", `[{"kind":"arrays","text":"about the paper"}]`, false, ""},
		{"measured", `[{"kind":"from","text":"a"},{"kind":"stand-in","text":"run 1, 28 pixels"},{"kind":"arrays","text":"more"}]`, false, "run 1, 28 pixels"},
		{"simulated", `[{"kind":"paper"}]`, false, ""},
		{"simulated", `[{"kind":"stand-in","text":"x"}]`, false, ""},
	} {
		r := Record{Source: c.source, Note: noted(c.note)}
		if r.OfPaper() != c.paper || r.StandIn() != c.standIn || r.StandsIn() != (c.source == "measured" && !c.paper) {
			t.Errorf("%s %q: %v, %q", c.source, c.note, r.OfPaper(), r.StandIn())
		}
	}
}

// TestNoteIsNoFormula: a spreadsheet that opens the file computes nothing, and the
// note is read as it was written.
func TestNoteIsNoFormula(t *testing.T) {
	for _, why := range []string{"=HYPERLINK(\"x\")", "+1", "-1", "@SUM(A1)", "\t=1", "\r\n=1"} {
		r := Record{Setting: Setting{Experiment: "e", Dataset: "d", Backbone: "b", Loss: "ce"}, Method: "ts", Metric: "ece", Source: "measured", Status: Fail, Note: Because(why)}
		var b bytes.Buffer
		if err := resultsFormat.Write(&b, []Record{r}); err != nil {
			t.Fatal(err)
		}
		once := b.String()
		list, err := resultsFormat.Read(&b, "results.csv")
		if err != nil || len(list) != 1 || !list[0].Note.Equal(r.Note) {
			t.Errorf("%q: %v, %v", why, list, err)
		}
		if !strings.Contains(once, `,"[{""kind"":""reason"",""text"":`) {
			t.Errorf("%q: %s", why, once)
		}
	}
}

// TestTextsAreNoFormulas: a spreadsheet does not compute a warning or the name of a
// processor. The text of the file is read as it is, and written again without a change.
func TestTextsAreNoFormulas(t *testing.T) {
	setting := Setting{Experiment: "e", Dataset: "d", Backbone: "b", Loss: "ce"}
	for text, want := range map[string]string{"=HYPERLINK(1)": "'=HYPERLINK(1)", "+1": "'+1", "-1": "'-1", "@SUM(A1)": "'@SUM(A1)", "\t=1": "'\t=1", "a=1\r\n": "a=1\n", "\xff": "?"} {
		var fits, times bytes.Buffer
		if err := fitsFormat.Write(&fits, []Parameter{{Setting: setting, Method: "ts", Warning: text, Source: "measured"}}); err != nil {
			t.Fatal(err)
		}
		if err := timesFormat.Write(&times, []Time{{Setting: setting, Method: "ts", Source: "measured", Seconds: 1, Known: true, Rows: 1, Classes: 2, Processor: text, Instructions: "avx2"}}); err != nil {
			t.Fatal(err)
		}
		once := fits.String()
		list, err := fitsFormat.Read(&fits, "fits.csv")
		if err != nil || list[0].Warning != want {
			t.Fatalf("%q: %+v, %v, want %q", text, list, err, want)
		}
		var again bytes.Buffer
		if err := fitsFormat.Write(&again, list); err != nil || again.String() != once {
			t.Errorf("%q: %s, then %s (%v)", text, once, &again, err)
		}
		if list, err := timesFormat.Read(&times, "times.csv"); err != nil || list[0].Processor != want {
			t.Errorf("%q: %+v, %v, want %q", text, list, err, want)
		}
	}
}

// A file whose notes are those of an earlier version is named, with what to do.
func TestNotesOfAnEarlierVersion(t *testing.T) {
	file := "experiment,dataset,backbone,loss,corruption,severity,variant,method,metric,value,n,source,status,note,key\n" +
		"e,d,b,ce,,,,ts,ece,0.1,5,measured,ok,from: networks of others; paper: its own network,k\n"
	const want = `out/results.csv:2: column note: "from: networks of others; paper: its own" is no list of notes such as [{"kind":"reason","text":"..."}]`
	if _, err := resultsFormat.Read(strings.NewReader(file), "out/results.csv"); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Error(err)
	}
}

// The networks of the measured records are named if there are one or two and each is known.
func TestMeasuredOnNamesTheNetworks(t *testing.T) {
	const given = "measured: computed from arrays in files, as given"
	for _, c := range []struct {
		from []string // of the records, in order; simulated ones are marked
		want string
	}{
		{nil, given}, {[]string{"simulated"}, given}, {[]string{"a"}, "measured on a"}, {[]string{"b", "a", "b", "simulated"}, "measured on b and a"},
		{[]string{"a", "b", "c"}, given}, {[]string{"a", ""}, given}, {[]string{""}, given},
	} {
		var records []Record
		for _, from := range c.from {
			r := Record{Source: "measured", Note: Notes{{Kind: From, Text: from}}}
			if from == "simulated" {
				r.Source = "simulated"
			}
			records = append(records, r)
		}
		if got := MeasuredOn(DistinctFrom(records)); got != c.want {
			t.Errorf("%q: %s", c.from, got)
		}
	}
}

// A setting is named without the loss ce and without an absent corruption.
func TestNameOfASetting(t *testing.T) {
	for want, c := range map[string]Setting{
		"d/b": {Dataset: "d", Backbone: "b", Loss: "ce"}, "d/b/focal": {Dataset: "d", Backbone: "b", Loss: "focal"},
		"d/b/fog/3": {Dataset: "d", Backbone: "b", Loss: "ce", Corruption: "fog", Severity: 3}, "d/b/focal/fog/3": {Dataset: "d", Backbone: "b", Loss: "focal", Corruption: "fog", Severity: 3},
	} {
		if got := c.Name(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
