package audit

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/qats-bench/qats/results/paper"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func run(t *testing.T) ([]paper.Number, []Problem) {
	t.Helper()
	list, err := paper.Read()
	if err != nil {
		t.Fatal(err)
	}
	return list, Run(list)
}

func TestFindingsOfThePaperByKind(t *testing.T) {
	_, findings := run(t)
	for kind, want := range map[Kind]int{
		BestMark: 13, BestMissing: 4, SecondMark: 19, SecondMissing: 1, Gap: 10, Mean: 6, Disagree: 2, OneFit: 21, Repeat: 2, SameNetwork: 4, TwoFits: 2, Caption: 2,
	} {
		if got := len(ofKind(kind, findings)); got != want {
			t.Errorf("%d findings of kind %s, want %d", got, kind, want)
		}
	}
	order := map[Kind]int{}
	for i, g := range Groups() {
		order[g.Kind] = i
	}
	if !slices.IsSortedFunc(findings, func(a, b Problem) int { return order[a.Kind] - order[b.Kind] }) {
		t.Error("the findings are not in the order of the groups")
	}
}

// A sample of findings, checked in the paper by hand.
func TestFindingsReadByHand(t *testing.T) {
	_, findings := run(t)
	for _, want := range []Problem{
		{BestMark, "shift-full", 7, "severity 1, FeatClip", "glass blur", "QaTS 9.54", "FeatClip 9.01", ""},
		{BestMissing, "shift-full", 7, "severity 4, FeatClip", "impulse noise", "none", "FeatClip 15.84", ""},
		{BestMark, "medical-full", 8, "ViT-B, GC", "RetinaMNIST", "AdaTS 7.20", "GC 6.40", ""},
		{SecondMark, "standard", 1, "ImageNet, ViT-B", "IR", "FeatClip 2.93", "IR 2.80", ""},
		{SecondMissing, "medical-full", 8, "DN-121, GC", "PneumoniaMNIST", "none", "GC 7.23", ""},
		{SecondMark, "medical-full", 8, "ViT-B, FeatClip", "DermaMNIST", "IR 3.31, FeatClip 2.28", "FeatClip 2.28", ""},
		{Gap, "longtail", 2, "CIFAR-100-LT R-10, ViT-B", "QaTS", "0.16", "-0.16", "QaTS 3.50, lowest other FeatClip 3.66"},
		{Gap, "standard-aece", 9, "CIFAR-10, DN-121", "QaTS", "-0.14", "-0.25", "QaTS 0.15, lowest other FeatClip 0.40"},
		{Mean, "medical-full", 8, "ViT-S, IR", "average", "7.13", "8.95", ""},
		{Mean, "medical-full", 8, "ViT-B, AdaTS", "average", "5.97", "5.77", ""},
		{Mean, "shift", 3, "severity 2", "IR", "14.40", "14.20", ""},
		{Disagree, "shift", 3, "severity 1", "IR", "13.78", "13.58", "the second value is in Table 7"},
		{Disagree, "shift", 3, "severity 2", "IR", "14.40", "14.20", "the second value is in Table 7"},
		{OneFit, "longtail", 2, "CIFAR-100-LT R-100, ViT-B", "TS", "ECE 49.15, AECE 34.79", "7.18", ""},
		{SameNetwork, "longtail-aece", 10, "ImageNet-LT, ViT-B", "Uncal", "5.60", "5.77",
			"the second value is of ImageNet in Table 9; the ECE of both is 5.77"},
	} {
		if !slices.Contains(findings, want) {
			t.Errorf("not found: %+v", want)
		}
	}
}

// The marks once more, from the bytes of the file, by floats and sorting and by no
// code of this package.
func TestMarksAgreeWithNaiveRanking(t *testing.T) {
	file, err := os.Open(filepath.Join("..", "published.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	type number struct {
		label, mark string
		value       float64
	}
	rows, underlines := map[string][]number{}, map[string]bool{}
	for _, l := range lines[1:] {
		if l[6] == "HFE" {
			continue
		}
		key := strings.Join(l[:6], ",")
		value, err := strconv.ParseFloat(l[7], 64)
		if err != nil {
			t.Fatal(err)
		}
		rows[key] = append(rows[key], number{l[6], l[8], value})
		underlines[l[0]] = underlines[l[0]] || l[8] == "underline"
	}
	count := map[Kind]int{}
	for key, row := range rows {
		slices.SortFunc(row, func(a, b number) int {
			switch {
			case a.value < b.value:
				return -1
			case a.value > b.value:
				return 1
			}
			return 0
		})
		var elsewhere, lacking [2]bool // by place: 0 best, 1 second
		place := 0
		for i, n := range row {
			if i > 0 && n.value > row[i-1].value {
				place++
			}
			for p, mark := range []string{"bold", "underline"} {
				elsewhere[p] = elsewhere[p] || n.mark == mark && place != p
				lacking[p] = lacking[p] || n.mark != mark && place == p
			}
		}
		switch table := strings.Split(key, ",")[0]; {
		case elsewhere[0]:
			count[BestMark]++
		case lacking[0]:
			count[BestMissing]++
		case elsewhere[1] && underlines[table]:
			count[SecondMark]++
		case lacking[1] && underlines[table]:
			count[SecondMissing]++
		}
	}
	_, findings := run(t)
	for _, kind := range []Kind{BestMark, BestMissing, SecondMark, SecondMissing} {
		if got := len(ofKind(kind, findings)); got != count[kind] {
			t.Errorf("%d findings of kind %s, by the naive ranking %d", got, kind, count[kind])
		}
	}
}

// Consistent numbers have no findings, and each defect put into them has one.
func TestEachDefectIsFound(t *testing.T) {
	const clean = `table,metric,dataset,corruption,severity,backbone,method,value,mark,delta
standard,ece,cifar10,,,resnet50,TS,2.00,,
standard,ece,cifar10,,,resnet50,IR,1.50,underline,
standard,ece,cifar10,,,resnet50,QaTS,1.20,bold,-0.30
standard,ece,cifar10,,,resnet18,TS,3.00,underline,
standard,ece,cifar10,,,resnet18,QaTS,2.20,bold,-0.80
medical,ece,average,,,resnet50,TS,2.51,underline,
medical,ece,average,,,resnet50,QaTS,1.00,bold,-1.51
medical-full,ece,ham10000,,,resnet50,TS,2.01,underline,
medical-full,ece,ham10000,,,resnet50,QaTS,1.00,bold,
medical-full,ece,pathmnist,,,resnet50,TS,3.00,underline,
medical-full,ece,pathmnist,,,resnet50,QaTS,1.00,bold,
standard-aece,aece,cifar10,,,resnet50,TS,2.00,,
standard-aece,aece,cifar10,,,resnet50,IR,2.00,,
standard-aece,aece,cifar10,,,resnet50,QaTS,1.20,bold,-0.80
shift,ece,cifar100-c,average,1,vit-b16,TS,2.00,underline,
shift,ece,cifar100-c,average,1,vit-b16,HFE,0.50,,
shift,ece,cifar100-c,average,1,vit-b16,QaTS,1.00,bold,-1.00
`
	check := func(old, new string, want ...Kind) {
		t.Helper()
		if strings.Count(clean, old) != 1 {
			t.Fatalf("%q occurs %d times", old, strings.Count(clean, old))
		}
		list, err := paper.Decode(strings.NewReader(strings.Replace(clean, old, new, 1)), "test")
		if err != nil {
			t.Fatal(err)
		}
		var got []Kind
		for _, f := range Run(list) {
			if f.Kind != Caption { // the small tables have two datasets
				got = append(got, f.Kind)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s for %s: got %v, want %v", new, old, got, want)
		}
	}
	check("standard,ece,cifar10,,,resnet50,TS,2.00", "standard,ece,cifar10,,,resnet50,TS,2.01")
	check("QaTS,1.20,bold,-0.30", "QaTS,1.20,,-0.30", BestMissing)
	check("QaTS,1.20,bold,-0.30", "QaTS,1.20,underline,-0.30", BestMissing)
	check("IR,1.50,underline,", "IR,1.50,,", SecondMissing)
	check("IR,1.50,underline,", "IR,1.50,bold,", BestMark)
	check("IR,1.50,underline,", "IR,1.20,underline,", BestMissing, Gap) // a tie for the best
	check("QaTS,1.20,bold,-0.30", "QaTS,1.20,bold,0.30", Gap)
	check("TS,2.51", "TS,2.50", Gap)       // the mean is 2.505
	check("TS,2.51", "TS,2.52", Gap, Mean) // no rounding gives this
	check("HFE,0.50,,", "HFE,0.50,underline,", SecondMark)
	check("standard-aece,aece,cifar10,,,resnet50,TS,2.00", "standard-aece,aece,cifar10,,,resnet50,TS,6.00")
	check("standard-aece,aece,cifar10,,,resnet50,TS,2.00", "standard-aece,aece,cifar10,,,resnet50,TS,6.01", OneFit)
}

func TestTextAndJSONAreGolden(t *testing.T) {
	list, findings := run(t)
	var text, lines bytes.Buffer
	if err := Text(&text, len(list), findings, 100); err != nil {
		t.Fatal(err)
	}
	if err := JSON(&lines, findings); err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string][]byte{"audit.txt": text.Bytes(), "audit.jsonl": lines.Bytes()} {
		path := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(path, got, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s differs; go test -update rewrites it", path)
		}
	}
	for i, line := range strings.Split(text.String(), "\n") {
		if utf8.RuneCountInString(line) > 100 || strings.TrimRight(line, " ") != line {
			t.Errorf("line %d is wide or ends in a space: %q", i+1, line)
		}
	}
	back := json.NewDecoder(&lines)
	back.DisallowUnknownFields()
	for _, want := range findings {
		var got Problem
		if err := back.Decode(&got); err != nil || got != want {
			t.Fatalf("%+v read back as %+v, %v", want, got, err)
		}
	}
}
