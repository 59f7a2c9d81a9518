package paper

import (
	"crypto/sha256"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
)

func numbers(t *testing.T) []Number {
	t.Helper()
	list, err := Read()
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestNumbersOfTheTenTables(t *testing.T) {
	list := numbers(t)
	if len(list) != 1584 {
		t.Errorf("%d numbers, want 1584", len(list))
	}
	count := map[string]int{}
	for _, p := range list {
		count[p.Table]++
	}
	for id, want := range map[string]int{
		"standard": 15 * 7, "standard-aece": 15 * 7, "longtail": 15 * 7, "longtail-aece": 15 * 7, "shift": 5 * 8,
		"shift-full": 5 * 8 * 16, "medical": 5 * 7, "medical-full": 5 * 7 * 12, "tasks": 2 * 7, "ablation": 5 * 3,
	} {
		if count[id] != want {
			t.Errorf("table %s has %d numbers, want %d", id, count[id], want)
		}
	}
	// One number of each table, read in the paper.
	publication := NewPublication(list)
	for _, c := range []struct {
		s      Setting
		label  string
		method string
		want   Number
	}{
		{Setting{"standard", "ece", "cifar10", "vit-s16", "", 0}, "QaTS", "qats", Number{Value: 51, Mark: Underline, Delta: 6, HasDelta: true}},
		{Setting{"longtail", "ece", "cifar100-lt-r10", "vit-b16", "", 0}, "QaTS", "qats", Number{Value: 350, Mark: Bold, Delta: 16, HasDelta: true}},
		{Setting{"shift", "ece", "cifar100-c", "vit-b16", "average", 1}, "HFE", "hfe-target", Number{Value: 544}},
		{Setting{"medical", "ece", "average", "vit-s16", "", 0}, "IR", "ir", Number{Value: 713}},
		{Setting{"tasks", "ece", "20newsgroups", "bert-b", "", 0}, "FeatClip", "featclip", Number{Value: 412, Mark: Underline}},
		{Setting{"ablation", "ece", "cifar100", "vit-b16", "", 0}, "QaTS-PW4", "qats-pw4", Number{Value: 224, Mark: Bold}},
		{Setting{"shift-full", "ece", "cifar100-c", "vit-b16", "glass_blur", 4}, "QaTS", "qats", Number{Value: 1700}},
		{Setting{"medical-full", "ece", "pneumoniamnist", "vit-s16", "", 0}, "FeatClip", "featclip", Number{Value: 460, Mark: Underline}}, // printed 4.6
		{Setting{"standard-aece", "aece", "imagenet", "resnet50", "", 0}, "AdaTS", "tta-ts", Number{Value: 206}},
		{Setting{"longtail-aece", "aece", "imagenet-lt", "vit-s16", "", 0}, "QaTS", "qats", Number{Value: 195, Mark: Underline, Delta: 8, HasDelta: true}},
	} {
		row, ok := publication.Row(c.s)
		got, also := row.Number(c.label)
		c.want.Setting, c.want.Label, c.want.Method = c.s, c.label, c.method
		if !ok || !also || got != c.want {
			t.Errorf("got %+v, want %+v", got, c.want)
		}
	}
}

// A change detector: the digest is that of the extract from the paper's LaTeX
// source, so an accidental edit of a number is noticed. A correction of the extract
// changes it.
func TestPublishedIsUnchanged(t *testing.T) {
	const extract = "9283945bfe9b17786bad4448bc18a340ad1b52cd7728006c80bd94fa80770040"
	if got := fmt.Sprintf("%x", sha256.Sum256(published)); got != extract {
		t.Errorf("published.csv has the digest %s, the extract %s", got, extract)
	}
}

func TestPublicationArrangesAllNumbers(t *testing.T) {
	list := numbers(t)
	publication := NewPublication(list)
	settings, count := map[string]bool{}, 0
	for _, r := range publication.Rows {
		count += len(r.Numbers)
		if r.Metric == "ece" && r.Table != "ablation" && !r.IsAverage() {
			settings[strings.Join([]string{r.Dataset, r.Backbone, r.Corruption, strconv.Itoa(r.Severity)}, "/")] = true
		}
		want := 7
		switch {
		case r.Table == "shift" || r.Table == "shift-full":
			want = 8
		case r.Table == "ablation":
			want = 5
		}
		if len(r.Numbers) != want {
			t.Errorf("%+v has %d methods, want %d", r.Setting, len(r.Numbers), want)
		}
		if want == 8 && len(r.Ranked()) != 7 {
			t.Errorf("%+v ranks %d of 8 methods", r.Setting, len(r.Ranked()))
		}
		members := 0
		switch {
		case r.Corruption == Average:
			members = 15
		case r.Dataset == Average:
			members = 11
		}
		if got := len(publication.Averaged(r.Setting)); got != members {
			t.Errorf("%+v averages %d settings, want %d", r.Setting, got, members)
		}
	}
	if len(settings) != 162 || count != len(list) {
		t.Errorf("%d settings and %d numbers, want 162 and %d", len(settings), count, len(list))
	}
}

func TestDecodeRejectsAndNamesThePlace(t *testing.T) {
	const header = "table,metric,dataset,corruption,severity,backbone,method,value,mark,delta\n"
	const good = "standard,ece,cifar10,,,resnet50,QaTS,0.31,bold,-0.24\n"
	if list, err := Decode(strings.NewReader(header+good), "x.csv"); err != nil || len(list) != 1 || list[0].Delta != -24 {
		t.Fatalf("%v, %v", list, err)
	}
	for _, c := range []struct{ row, want string }{
		{"", "x.csv:3: 1 fields, want 10"},
		{"clean,ece,cifar10,,,resnet50,TS,1.23,,", `x.csv:3: column table: "clean" is no table of the paper`},
		{"standard,aece,cifar10,,,resnet50,TS,1.23,,", `x.csv:3: column metric: "aece", but table standard shows ece`},
		{"standard,ece,,,,resnet50,TS,1.23,,", "x.csv:3: column dataset: empty"},
		{"standard,ece,cifar10,,,,TS,1.23,,", "x.csv:3: column backbone: empty"},
		{"shift,ece,cifar100-c,average,,vit-b16,TS,1.23,,", "x.csv:3: column severity: a corruption needs"},
		{"shift,ece,cifar100-c,average,x,vit-b16,TS,1.23,,", `x.csv:3: column severity: "x" is not a whole number`},
		{"standard,ece,cifar10,,,resnet50,Ts,1.23,,", `x.csv:3: column method: "Ts" is no method of the paper`},
		{"standard,ece,cifar10,,,resnet50,TS,1.234,,", `x.csv:3: column value: "1.234" is not a number with one or two decimals`},
		{"standard,ece,cifar10,,,resnet50,TS,NaN,,", `x.csv:3: column value: "NaN"`},
		{"standard,ece,cifar10,,,resnet50,TS,100.01,,", "x.csv:3: column value: 100.01 is outside [0, 100]"},
		{"standard,ece,cifar10,,,resnet50,TS,-0.10,,", "x.csv:3: column value: -0.10 is outside [0, 100]"},
		{"standard,ece,cifar10,,,resnet50,TS,1.23,italic,", `x.csv:3: column mark: "italic" is neither`},
		{"standard,ece,cifar10,,,resnet50,TS,1.23,,-0.10", "x.csv:3: column delta: only QaTS has a gap, not TS"},
		{"standard,ece,cifar10,,,resnet50,QaTS,0.31,,", "x.csv:3: the same identifiers as line 2"},
	} {
		row := c.row + "\n"
		if c.row == "" {
			row = "standard\n"
		}
		_, err := Decode(strings.NewReader(header+good+row), "x.csv")
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s...", c.row, err, c.want)
		}
	}
}

func TestPointsPrintAsTheTables(t *testing.T) {
	for _, c := range []struct {
		fraction float64
		want     Points
		text     string
		signed   string
	}{
		{0.0713, 713, "7.13", "+7.13"},
		{0, 0, "0.00", "0.00"},
		{-0.0016, -16, "-0.16", "-0.16"},
		{1, 10000, "100.00", "+100.00"},
		{0.00006, 1, "0.01", "+0.01"},
		{-0.00001, 0, "0.00", "0.00"},
	} {
		if got := PointsOf(c.fraction); got != c.want || got.String() != c.text || got.Signed() != c.signed {
			t.Errorf("%v: got %d, %s, %s", c.fraction, got, got, got.Signed())
		}
	}
	for i := range Points(10001) {
		if PointsOf(float64(i)/10000) != i {
			t.Fatalf("%s comes back as another number", i)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("no panic for NaN")
		}
	}()
	PointsOf(math.NaN())
}

func TestDatasetsAreThoseOfTheTables(t *testing.T) {
	list := numbers(t)
	printed := map[string]bool{}
	for _, p := range list {
		if p.Dataset != Average {
			printed[p.Dataset] = true
		}
	}
	known := Datasets()
	for _, d := range known {
		if !printed[d] {
			t.Errorf("%s is in no table", d)
		}
	}
	if len(known) != len(printed) {
		t.Errorf("%d datasets, the tables have %d", len(known), len(printed))
	}
}

// Values are percentages, with both ends, and a table has its own rows.
func TestValuesAreInPercent(t *testing.T) {
	const header = "table,metric,dataset,corruption,severity,backbone,method,value,mark,delta\n"
	for value, ok := range map[string]bool{"0.00": true, "100.00": true, "100.01": false, "-0.01": false} {
		list, err := Decode(strings.NewReader(header+"standard,ece,cifar10,,,resnet50,TS,"+value+",,\nlongtail,ece,cifar100-lt-r10,,,resnet50,TS,1.00,,\n"), "test")
		if (err == nil) != ok {
			t.Errorf("%s: %v", value, err)
		}
		if err != nil {
			continue
		}
		for id, want := range map[string]int{"standard": 1, "longtail": 1, "tasks": 0} {
			rows := NewPublication(list).Table(id)
			if len(rows) != want || want > 0 && rows[0].Table != id {
				t.Errorf("rows of %s: %+v", id, rows)
			}
		}
	}
}
