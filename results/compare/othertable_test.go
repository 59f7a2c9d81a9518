package compare

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/qats-bench/qats/results"
)

// arena returns the Brier scores of a benchmark that CalArena published.
func arena(t *testing.T, benchmark string) []results.Record {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "shared", "peers", "calarena", benchmark, "*.csv"))
	if err != nil || len(files) == 0 {
		t.Skip("needs ../shared")
	}
	var all []results.Record
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		list, err := ReadTable(f, name, Columns{Setting: []string{"dataset", "model"}, Value: "*_brier", Metric: "brier"})
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, list...)
	}
	return all
}

// TestRanksOfCalArena: the mean Brier ranks of CalArena's figures, each network a
// block, and Nemenyi's critical difference q sqrt(k(k+1)/6n), where q(.05) is 3.51707
// for 19 methods and 3.10173 for 9: scipy.stats.studentized_range.ppf(.95, k, inf)
// over the root of 2 (Demsar 2006, Table 5, has them up to 10).
func TestRanksOfCalArena(t *testing.T) {
	for _, c := range []struct {
		benchmark string
		methods   int
		networks  int
		ranks     map[string]string
		q         float64
	}{
		{"cv-multiclass", 19, 20, map[string]string{"SMS": "1.95", "SVS": "3.70", "VS": "4.30", "Spline": "7.10", "TS": "7.95", "Venn-Abers": "8.05", "ETS": "8.45"}, 3.51707},
		{"imagenet-multiclass", 9, 8, map[string]string{"ETS": "1.12", "SVS": "2.25", "TS": "3.38", "VS": "4.00", "Base-model": "4.50"}, 3.10173},
	} {
		list, err := Of(arena(t, c.benchmark), nil, Options{Metric: "brier", Against: "TS", Block: ByNetwork})
		if err != nil || len(list) != 1 {
			t.Fatal(err)
		}
		k := list[0].Ranking
		if len(k.Methods) != c.methods || len(k.Blocks) != c.networks {
			t.Errorf("%s: %d methods on %d networks", c.benchmark, len(k.Methods), len(k.Blocks))
		}
		for i, m := range k.Methods {
			if want, ok := c.ranks[m]; ok && fmt.Sprintf("%.2f", k.Ranks[i]) != want {
				t.Errorf("%s: %s has mean rank %.4f, want %s", c.benchmark, m, k.Ranks[i], want)
			}
		}
		n, m := float64(c.networks), float64(c.methods)
		if want := c.q * math.Sqrt(m*(m+1)/(6*n)); !(math.Abs(k.Critical-want) <= 1e-4) {
			t.Errorf("%s: critical difference %.4f, want %.4f", c.benchmark, k.Critical, want)
		}
	}
}

// TestReadTable: a column of methods, or a column a method.
func TestReadTable(t *testing.T) {
	for _, c := range []struct {
		columns Columns
		text    string
	}{
		{Columns{Setting: []string{"set", "net", "seed"}, Value: "score", Method: "who", Metric: "brier"},
			"\ufeffwho,score,set,net,seed\nA,0.25,s1,n,1\nA,,s2,n,2\nB,1e-1,s1,n,1\nB,NaN,s2,n,2\n"},
		{Columns{Setting: []string{"set", "net", "seed"}, Value: "*_b", Metric: "brier"},
			"set,net,seed,A_b,_b,B_b,C_c\ns1,n,1,0.25,x,0.1,x\ns2,n,2,,x,nan,x\n"},
	} {
		list, err := ReadTable(strings.NewReader(c.text), "t.csv", c.columns)
		if err != nil {
			t.Fatal(err)
		}
		found := map[string]string{}
		for _, r := range list {
			found[r.Method+" "+r.Dataset+" "+r.Backbone] = fmt.Sprint(r.Status, " ", r.Value, " ", r.Metric, " ", r.Source)
		}
		for key, want := range map[string]string{"A s1 n/1": "ok 0.25 brier measured", "B s1 n/1": "ok 0.1 brier measured",
			"A s2 n/2": "skip 0 brier measured", "B s2 n/2": "skip 0 brier measured"} {
			if found[key] != want || len(found) != 4 {
				t.Errorf("%s: %s, want %s (%d in all)", key, found[key], want, len(found))
			}
		}
	}
}

// TestTableMistakes name file, line and column.
func TestTableMistakes(t *testing.T) {
	good := Columns{Setting: []string{"d"}, Value: "v", Method: "m", Metric: "brier"}
	for text, want := range map[string]string{
		"":                     "t.csv: empty",
		"d,m,v\n":              "t.csv: no rows",
		"d,m\na,b\n":           `t.csv:1: no column "v" (the columns are d, m)`,
		"x,m,v\na,b,1\n":       `t.csv:1: no column "d"`,
		"d,v\na,1\n":           `t.csv:1: no column "m"`,
		"d,m,v\na,b,c\n":       `t.csv:2: column v: "c" is not a finite number`,
		"d,m,v\na,b,inf\n":     "not a finite number",
		"d,m,v\na,,1\n":        "t.csv:2: a row without a dataset or a method",
		"d,m,v\na\u202e,b,1\n": `t.csv:2: the name "a\u202e" has a character that is not shown: leave it out`,
		"d,m,v\na,\"b\n\",1\n": `t.csv:2: the name "b\n" has a character that is not shown`,
		"d,m,v\na,b\n":         "wrong number of fields",
		"d,m,v\na,\"b,1\n ":    "t.csv: ",
	} {
		if _, err := ReadTable(strings.NewReader(text), "t.csv", good); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v; want %q", text, err, want)
		}
	}
	if _, err := ReadTable(strings.NewReader("d,a_x,a_x\na,1,2\n"), "t.csv", Columns{Setting: []string{"d"}, Value: "*_x"}); err == nil || !strings.Contains(err.Error(), "two columns of one name") {
		t.Errorf("two columns: %v", err)
	}
	if _, err := ReadTable(strings.NewReader("d,m,v\na,b,1\n"), "t.csv", Columns{Setting: []string{"d"}, Value: "*_x"}); err == nil || !strings.Contains(err.Error(), "no column matches") {
		t.Error(err)
	}
	for _, c := range []Columns{{}, {Setting: []string{"d"}}, {Setting: []string{"d"}, Value: "v"}, {Setting: []string{"d"}, Value: "*_*"}, {Setting: []string{"d"}, Value: "*_v", Method: "m"}} {
		if c.Check() == nil {
			t.Errorf("%+v passes", c)
		}
	}
}
