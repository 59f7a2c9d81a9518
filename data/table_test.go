package data

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// tableCase is a table and what is read from it, of testdata/tables/cases.json, which the test of
// the Python package reads too.
type tableCase struct {
	Name, Text, Kind, Error string
	Told                    []string
	Sets                    map[string]struct {
		Scores [][]float64
		Labels []int32
	}
}

func tableCases(t *testing.T) (cases []tableCase) {
	b, err := os.ReadFile("testdata/tables/cases.json")
	if err != nil {
		t.Fatal(err)
	}
	var all struct{ Tables []tableCase }
	if err := json.Unmarshal(b, &all); err != nil || len(all.Tables) == 0 {
		t.Fatal(err)
	}
	return all.Tables
}

// A table of text is a file of arrays, by what its header says.
func TestTablesAreReadByTheirHeaders(t *testing.T) {
	roles := map[string]string{"logits": "logits", "log-probs": "log_probs", "probs": "probs", "confidence": "confidence"}
	place, line := regexp.MustCompile(`^line ([0-9]+), column ([^:]*): `), regexp.MustCompile(`^line ([0-9]+): `)
	for _, c := range tableCases(t) {
		t.Run(c.Name, func(t *testing.T) {
			for _, name := range []string{"x.csv", "x.TSV.gz"} {
				if isJSON(c.Text) {
					name = map[string]string{"x.csv": "x.json", "x.TSV.gz": "x.JSONL.gz"}[name]
				}
				path := filepath.Join(t.TempDir(), name)
				text := []byte(c.Text)
				if strings.HasSuffix(name, ".gz") {
					var b bytes.Buffer
					w := gzip.NewWriter(&b)
					w.Write(text)
					w.Close()
					text = b.Bytes()
				}
				if err := os.WriteFile(path, text, 0o666); err != nil {
					t.Fatal(err)
				}
				in := stream(nil, 1<<20)
				arrays, err := Forms().Arrays(in, path)
				if c.Error != "" {
					want, _, _ := strings.Cut(c.Error, "; ")
					want = place.ReplaceAllString(want, path+":$1: column $2: ")
					want = line.ReplaceAllString(want, path+":$1:1: ")
					want = strings.ReplaceAll(want, "'", `"`)
					if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), path) || strings.Contains(err.Error(), "\n") {
						t.Errorf("error %v, want %s", err, want)
					}
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				if told := in.Told(path); !slices.Equal(told, c.Told) {
					t.Errorf("told %q, want %q", told, c.Told)
				}
				sets, err := Choose(arrays)
				if err != nil || len(sets) != len(c.Sets) {
					t.Fatal(sets, err)
				}
				for _, s := range sets {
					split := string(s.Split)
					if split == "" {
						split = "all"
					}
					want := c.Sets[split]
					if _, role := RoleOf(s.Logits); role != roles[c.Kind] {
						t.Errorf("%s, want %s", role, c.Kind)
					}
					r, err := Files{Logits: path + "#" + s.Logits, Labels: path + "#" + s.Labels, Kind: Kind(c.Kind), FS: in}.Open()
					if err != nil {
						t.Fatal(err)
					}
					defer r.Close()
					set, err := Read(t.Context(), r, 0, r.Rows())
					if err != nil {
						t.Fatal(err)
					}
					if !slices.Equal(set.Labels, want.Labels) {
						t.Errorf("%s: labels %v, want %v", split, set.Labels, want.Labels)
					}
					a, err := OpenArray(in, path+"#"+s.Logits)
					if err != nil {
						t.Fatal(err)
					}
					v := make([]float64, a.Rows()*a.Cols())
					if err := a.ReadFloat64(v, 0, a.Rows()); err != nil {
						t.Fatal(err)
					}
					flat := slices.Concat(want.Scores...)
					if c.Kind == "logits" && a.Cols() == 1 { // Python writes the logit 0 of class 0 beside it
						flat = slices.DeleteFunc(slices.Clone(flat), func(x float64) bool { return x == 0 })
					}
					if !slices.Equal(v, flat) {
						t.Errorf("%s: scores %v, want %v", split, v, flat)
					}
				}
			}
		})
	}
}

// A score of -Inf is a masked class.
func TestMaskedClassesOfATable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.csv")
	if err := os.WriteFile(path, []byte("z0,z1,label\n1.5,-inf,0\n0.5,2.5,1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	r, err := Files{Logits: path + "#logits", Labels: path + "#labels", FS: stream(nil, 1<<20)}.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	set, err := Read(t.Context(), r, 0, r.Rows())
	if want := []float32{1.5, Masked, .5, 2.5}; err != nil || !slices.Equal(set.Logits.Data, want) {
		t.Errorf("%v %v, want %v", set, err, want)
	}
}

// Tables that are no text, or too large, are errors that name the file.
func TestTablesWithFaults(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ text, want string }{
		{"p0,p1,label\n.1,.9,1\n.2,.8\n", "x.csv:3:1: 2 fields; the header has 3"},
		{"p0,p1,label\n.1,\".9,1\n", "x.csv:2:"},
		{"p0,p1,label\n\xff,.9,1\n", "x.csv: line 2: not a text in UTF-8; save it in UTF-8"},
		{"p\x000\x00,\x00", "x.csv: line 1: not a text in UTF-8; save it in UTF-8"},
		{"PK\x03\x04", "x.csv: a ZIP archive; unpack it"},
		{"PAR1", "x.csv: a table of Parquet; python3 -m qatsbench.datasets import parquet"},
		{"<html>", "x.csv: a web page in the place of the file"},
		{"\x1f\x8b\x08\x00", "not a complete .gz file"},
		{"p0,p1,label\n" + strings.Repeat(".25,.75,1\n", 4000), "has more than 8192 bytes, the limit for a table; raise --max-memory"},
	} {
		path := filepath.Join(dir, "x.csv")
		if err := os.WriteFile(path, []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Forms().Arrays(stream(nil, 32<<10), path); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.text[:min(20, len(c.text))], err, c.want)
		}
	}
	if _, err := Forms().Arrays(stream(nil, 1<<20), filepath.Join(dir, "none.csv")); err == nil || !strings.Contains(err.Error(), "none.csv: no such file") {
		t.Error(err)
	}
	if _, err := OpenArray(nil, filepath.Join(dir, "x.csv")); err == nil || !strings.Contains(err.Error(), "a table of text, not an array") {
		t.Error(err)
	}
}
