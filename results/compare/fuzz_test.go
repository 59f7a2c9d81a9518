package compare

import (
	"strings"
	"testing"
)

// FuzzReadTable hands arbitrary files to the reader of tables of others. What it accepts
// has a dataset, a method and a finite value, or says why there is none.
func FuzzReadTable(f *testing.F) {
	f.Add("d,m,v\na,b,0.5\na,c,nan\n", false)
	f.Add("\xef\xbb\xbfd,n,TS_v,IR_v\r\na,\"b,c\",0.5,\r\n", true)
	f.Add("d,m,v\n\"a\nb\",c,1e400\n", false)
	f.Fuzz(func(t *testing.T, text string, wide bool) {
		c := Columns{Setting: []string{"d"}, Value: "v", Method: "m", Metric: "brier"}
		if wide {
			c = Columns{Setting: []string{"d", "n"}, Value: "*_v", Metric: "brier"}
		}
		list, err := ReadTable(strings.NewReader(text), "t.csv", c)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "t.csv:") {
				t.Fatalf("an error without a place: %q", err)
			}
			return
		}
		for _, r := range list {
			if r.Dataset == "" || r.Method == "" || r.Status == "ok" && r.Value-r.Value != 0 || r.Status != "ok" && r.Note.String() == "" {
				t.Fatalf("%+v", r)
			}
		}
	})
}
