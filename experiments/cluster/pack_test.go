package cluster

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/results"
)

// object of a pack, with the number of its text.
type object struct {
	kind results.Kind
	text int
	body string
}

func textOf(i int) string { return fmt.Sprintf("object %d\n", i) }

// writePack writes the pack of a record, and returns its file.
func writePack(t *testing.T, name string, r Record, objects ...object) string {
	t.Helper()
	var b bytes.Buffer
	p, err := r.NewPack(&b)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range objects {
		if err := p.Add(o.kind, textOf(o.text), []byte(o.body)); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

func newStore(t *testing.T) *results.Store {
	t.Helper()
	s, err := results.Open(filepath.Join(t.TempDir(), "store"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// files are the contents of a folder, by path.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		out[rel] = string(b)
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return out
}

var run = results.Key("a run")

func task(i, n int) Record {
	return Record{Run: run, Task: i, Of: n, Done: true, Failed: i, Stored: 2, Seconds: float64(10 + i), Bytes: int64(100 * i)}
}

// TestAnyOrderGivesTheSameStore: of two tasks that made the same fit, and of a task that was done twice.
func TestAnyOrderGivesTheSameStore(t *testing.T) {
	again := task(1, 2)
	again.Seconds, again.Failed = 50, 0
	packs := []string{
		writePack(t, "0", task(0, 2), object{results.Fit, 1, "fit"}, object{results.Times, 1, `{"seconds":3}`}, object{results.Scores, 2, "scores"}),
		writePack(t, "1", task(1, 2), object{results.Fit, 1, "fit"}, object{results.Times, 1, `{"seconds":2}`}),
		writePack(t, "1 again", again, object{results.Fit, 1, "fit"}, object{results.Times, 1, `{"seconds":4}`}),
	}
	var want map[string]string
	for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}, {1, 0, 2}, {0, 2, 1, 1, 0}} {
		store := newStore(t)
		var list []string
		for _, i := range order {
			list = append(list, packs[i])
		}
		m, err := Merge(store, list)
		if err != nil || m.Tasks != 2 || m.New != 3 {
			t.Fatalf("%v: %+v, %v", order, m, err)
		}
		got := files(t, store.Dir())
		if want == nil {
			want = got
		}
		if len(got) != 5 || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%v: %q, want %q", order, got, want)
		}
		if body, err := store.Get(results.Times, results.Key(textOf(1))); string(body) != `{"seconds":2}` {
			t.Errorf("%v: the time is %s, %v", order, body, err)
		}
		if r := Records(store.Dir(), run, 2)[1]; r.Seconds != 50 || r.Failed != 1 || r.Bytes != 100 {
			t.Errorf("%v: %+v", order, r)
		}
	}
}

// TestRefusedPacksChangeNothing: each names what is wrong with it, and the store stays as it is.
func TestRefusedPacksChangeNothing(t *testing.T) {
	fit := object{results.Fit, 1, "fit"}
	key := results.Key(textOf(1))[:12]
	good := writePack(t, "good", task(0, 2), fit, object{results.Scores, 3, "scores"})
	other := func(change func(r *Record)) Record {
		r := task(1, 2)
		change(&r)
		return r
	}
	for name, c := range map[string]struct {
		pack string
		want string
	}{
		"another fit":          {writePack(t, "other", task(1, 2), object{results.Fit, 1, "FIT"}), ": fit object " + key + " was made twice, with other bytes"},
		"other than the store": {writePack(t, "other", task(1, 2), object{results.Pairs, 7, "new"}), "other: pairs object " + results.Key(textOf(7))[:12]},
		"unknown kind":         {writePack(t, "odd", task(1, 2), object{"../../up", 1, "x"}), `odd: damaged: object 0: unknown kind "../../up"`},
		"record climbs":        {writePack(t, "odd", other(func(r *Record) { r.Run = "../../../../tmp/x" })), "odd: damaged: its second line is no record"},
		"too many tasks":       {writePack(t, "odd", other(func(r *Record) { r.Of = MaxTasks + 1 })), "odd: damaged: its second line"},
		"no such task":         {writePack(t, "odd", other(func(r *Record) { r.Task = 2 })), "odd: damaged: its second line"},
		"not done":             {writePack(t, "odd", other(func(r *Record) { r.Done = false })), "no record of a task that has ended"},
		"negative":             {writePack(t, "odd", other(func(r *Record) { r.Seconds = -1 })), "odd: damaged"},
		"of another run":       {writePack(t, "odd", other(func(r *Record) { r.Run = results.Key("another") })), "1 task of 2 missing: 0"},
		"of other tasks":       {writePack(t, "odd", task(1, 3)), "2 tasks of 3 missing: 0, 2"},
		"missing":              {good, "1 task of 2 missing: 1 (of run " + run[:12] + ")"},
	} {
		store := newStore(t)
		if err := store.Put(results.Pairs, textOf(7), []byte("old")); err != nil {
			t.Fatal(err)
		}
		before := fmt.Sprint(files(t, store.Dir()))
		for _, list := range [][]string{{good, c.pack}, {c.pack, good}} {
			if _, err := Merge(store, list); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want %q", name, err, c.want)
			}
		}
		if got := fmt.Sprint(files(t, store.Dir())); got != before {
			t.Errorf("%s: the store has changed: %s", name, got)
		}
	}
}

// TestEachDamagedPackIsNamed: not only the first, and no task is said to be missing for it.
func TestEachDamagedPackIsNamed(t *testing.T) {
	var packs []string
	for i := range 4 {
		packs = append(packs, writePack(t, fmt.Sprint("p", i), task(i, 4), object{results.Fit, i, "fit"}))
	}
	for _, i := range []int{1, 3} {
		b, err := os.ReadFile(packs[i])
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(packs[i], b[:len(b)-i], 0o666); err != nil {
			t.Fatal(err)
		}
	}
	slices.Reverse(packs)
	_, err := Merge(newStore(t), packs)
	if err == nil || strings.Count(err.Error(), "cut off") != 2 || strings.Contains(err.Error(), "missing") || !strings.Contains(err.Error(), "p1: ") || !strings.Contains(err.Error(), "p3: ") {
		t.Errorf("%v", err)
	}
}

// TestManyMissingTasks are counted behind the first ones.
func TestManyMissingTasks(t *testing.T) {
	_, err := Merge(newStore(t), []string{writePack(t, "p", task(0, 12))})
	if err == nil || !strings.Contains(err.Error(), "11 tasks of 12 missing: 1, 2, 3, 4, 5, 6, 7, 8 and 3 more (of run") {
		t.Errorf("%v", err)
	}
	if !errors.As(err, new(*Missing)) {
		t.Errorf("%T", err)
	}
}
