package main

import (
	"archive/zip"
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// published makes a folder with the predictions of invented networks in the files
// of their sources: predictions.zip of MedMNIST, its data sets, and a pickle.
func published(t *testing.T) string {
	t.Helper()
	from, dir := filepath.Join("..", "..", "data", "public", "testdata"), t.TempDir()
	copyFile := func(name string) {
		b, err := os.ReadFile(filepath.Join(from, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), b, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"dermamnist.npz", "breastmnist.npz", "probs_resnet110_c10_logits.p"} {
		copyFile(name)
	}
	files, err := filepath.Glob(filepath.Join(from, "*mnist_*.csv"))
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range files {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		w, err := z.Create("predictions/" + filepath.Base(name))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(content); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "predictions.zip"), b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

// qats runs a command and returns what it prints.
func qats(t *testing.T, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	if status := run(context.Background(), args, &out, &errs); status != exitOK {
		t.Fatalf("qats %s: status %d\n%s", strings.Join(args, " "), status, &errs)
	}
	return out.String()
}

// TestFetchedPredictionsFillTables: predictions from a server, which breaks the first
// connection to each file (with -short, to one file), are measured rows of the paper's
// experiment: marked, shown beside the published numbers, and without a verdict.
func TestFetchedPredictionsFillTables(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for a server; data/fetch tests broken downloads, data/public imports")
	}
	t.Parallel() // it waits a second before each broken connection is tried again
	const breaks = 4
	files := http.FileServer(http.Dir(published(t)))
	var first atomic.Int32 // requests for the beginning of a file
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet && r.Header.Get("Range") == "" && first.Add(1) <= breaks {
			w = &firstBytes{ResponseWriter: w, left: 300}
		}
		files.ServeHTTP(w, r)
	}))
	defer server.Close()
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }

	said := qats(t, "fetch", server.URL+"/predictions.zip", server.URL+"/dermamnist.npz", server.URL+"/breastmnist.npz",
		"--format", "medmnist", "--yes", "--downloads", in("downloads"), "--to", in("arrays"))
	for _, want := range []string{"licence: CC BY 4.0", "predictions.zip fetched, digest recorded", "imported 5 networks", "stand-ins for networks of the paper: 3"} {
		if !strings.Contains(said, want) {
			t.Errorf("fetch does not say %q:\n%s", want, said)
		}
	}
	qats(t, "fetch", server.URL+"/probs_resnet110_c10_logits.p", "--format", "nncal", "--yes", "--downloads", in("downloads"), "--to", in("arrays"))
	if first.Load() != 4 {
		t.Errorf("%d downloads began at the first byte, want 4", first.Load())
	}

	spec := `name: medical
title: Medical images
data: [arrays]
methods: [uncal, ts, ir, qats]
metrics: [ece]
settings:
  - {dataset: [dermamnist, breastmnist], backbone: resnet18}
  - {dataset: dermamnist, backbone: resnet50}
tables:
  - {name: ece-full, metric: ece, paper: 8, rows: [backbone, method], columns: dataset}
`
	if err := os.WriteFile(in("medical.yaml"), []byte(spec), 0o666); err != nil {
		t.Fatal(err)
	}
	if said := qats(t, "run", in("medical.yaml"), "--data", in("arrays"), "--out", in("out")); !strings.Contains(said, "3 settings: 3 measured, 0 simulated, 0 without arrays") {
		t.Error(said)
	}
	qats(t, "report", in("medical.yaml"), "--out", in("out"))
	table, err := os.ReadFile(filepath.Join(in("out"), "tables", "medical-ece-full.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"measured on networks of MedMNIST v2 (28 pixels, run 1)", "o: not the paper's network", "28 pixels, run 1); not ranked"} {
		if flat := strings.Join(strings.Fields(string(table)), " "); !strings.Contains(flat, want) {
			t.Errorf("the table does not say %q:\n%s", want, table)
		}
	}
	if strings.Contains(string(table), "*") {
		t.Errorf("a stand-in is ranked:\n%s", table)
	}
	diff := qats(t, "diff", "--out", in("out"))
	for _, want := range []string{"Measured: no numbers.", "Measured on networks that stand in for the paper's: no verdict", "ranking: stand-in for the paper's network: no verdict",
		"(stand-in: MedMNIST's own training, 28 pixels, run 1)"} {
		if !strings.Contains(diff, want) {
			t.Errorf("diff does not say %q:\n%s", want, diff)
		}
	}
}

// firstBytes breaks the connection after a number of bytes.
type firstBytes struct {
	http.ResponseWriter
	left int
}

func (w *firstBytes) Write(b []byte) (int, error) {
	if len(b) > w.left {
		w.ResponseWriter.Write(b[:w.left])
		w.ResponseWriter.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
	w.left -= len(b)
	return w.ResponseWriter.Write(b)
}
