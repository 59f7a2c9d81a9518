package cluster

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/internal/inputfile"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
)

// NewPack begins the pack of a task that has ended. Its line is the record.
func (r Record) NewPack(w io.Writer) (*results.PackWriter, error) {
	line, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	return results.NewPackWriter(w, string(line))
}

// packed reads the record of a pack.
func packed(line string) (r Record, err error) {
	d := json.NewDecoder(strings.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil || d.More() {
		return r, errors.New("damaged: its second line is no record of a task")
	}
	if len(r.Run) != 2*sha256.Size || strings.Trim(r.Run, "0123456789abcdef") != "" || r.Task < 0 || r.Task >= r.Of || r.Of > MaxTasks || !r.Done || min(r.Failed, r.Stored) < 0 || r.Seconds < 0 || r.Bytes < 0 {
		return r, errors.New("damaged: its second line is no record of a task that has ended")
	}
	return r, nil
}

// joined is the record of a task that was done twice. It is the same in either order.
func (r Record) joined(o Record) Record {
	r.Failed, r.Stored = max(r.Failed, o.Failed), max(r.Stored, o.Stored)
	r.Seconds, r.Bytes = max(r.Seconds, o.Seconds), max(r.Bytes, o.Bytes)
	return r
}

// Missing is the error of a run without some of its tasks.
type Missing struct {
	Run   string
	Tasks []int
	Of    int
}

func (m *Missing) Error() string {
	few := m.Tasks[:min(8, len(m.Tasks))]
	names := strings.Join(lists.Values(few, func(i int) string { return fmt.Sprint(i) }), ", ")
	if more := len(m.Tasks) - len(few); more > 0 {
		names += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Sprintf("%s of %d missing: %s (of run %.12s); nothing is merged: add the packs of these tasks, or do them", english.Count(len(m.Tasks), "task"), m.Of, names, m.Run)
}

// Merged says what Merge did.
type Merged struct {
	Tasks      int // in the packs
	New, Known int // objects that the store lacked, and that it had, or a pack before
}

// Merge puts the packs of tasks into a store. First it reads all of them: if one is cut off or altered, if an object
// is another one than in the store or in a pack before (see results.Merge), or if a task of a run is neither in a pack
// nor in the store, an error names it, and the store stays as it was. The order of the packs does not matter, and a
// pack that is there twice changes nothing.
func Merge(store *results.Store, files []string) (*Merged, error) {
	type runOf struct {
		run string
		of  int
	}
	type object struct {
		sum  [sha256.Size]byte
		file string
	}
	var failed []error
	tasks := map[runOf]map[int]Record{}
	seen := map[string]object{}
	for _, file := range files {
		r, err := readPack(file, func(kind results.Kind, text string, body []byte) error {
			id, now := string(kind)+"/"+results.Key(text), object{sha256.Sum256(body), file}
			before, again := seen[id]
			switch {
			case !again:
				seen[id] = now
				_, _, err := merged(store, kind, text, body)
				return err
			case kind != results.Times && before.sum != now.sum:
				return fmt.Errorf("%w; another is in %s", results.Differs(kind, results.Key(text)), before.file)
			}
			return nil
		})
		if err != nil {
			failed = append(failed, err)
			continue
		}
		run := runOf{r.Run, r.Of}
		if tasks[run] == nil {
			tasks[run] = map[int]Record{}
		}
		if before, again := tasks[run][r.Task]; again {
			r = r.joined(before)
		}
		tasks[run][r.Task] = r
	}
	out := &Merged{}
	var records []Record
	var absent []error
	for run, packs := range tasks {
		missing := &Missing{Run: run.run, Of: run.of}
		for i, there := range Records(store.Dir(), run.run, run.of) {
			r, ok := packs[i]
			if ok && there.Done {
				r = r.joined(there)
			}
			if ok {
				records = append(records, r)
			} else if !there.Done {
				missing.Tasks = append(missing.Tasks, i)
			}
		}
		if len(missing.Tasks) > 0 {
			absent = append(absent, missing)
		}
		out.Tasks += len(packs)
	}
	if len(failed) == 0 { // a task whose pack is damaged is not missing
		failed = absent
	}
	if len(failed) > 0 {
		slices.SortFunc(failed, func(a, b error) int { return cmp.Compare(a.Error(), b.Error()) })
		return nil, errors.Join(failed...)
	}
	for _, file := range files {
		_, err := readPack(file, func(kind results.Kind, text string, body []byte) error {
			kept, there, err := merged(store, kind, text, body)
			if err != nil {
				return err
			}
			if there != nil {
				out.Known++
			} else {
				out.New++
			}
			if there != nil && bytes.Equal(kept, there) {
				return nil
			}
			return store.Put(kind, text, kept)
		})
		if err != nil {
			return nil, err
		}
	}
	for _, r := range records {
		if err := r.put(store.Dir()); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// merged returns what the store keeps of an object of a pack, and what it has now; nil if it has none.
func merged(store *results.Store, kind results.Kind, text string, body []byte) (kept, there []byte, err error) {
	there, err = store.Get(kind, results.Key(text))
	if errors.Is(err, fs.ErrNotExist) {
		return body, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	if kept, err = results.Merge(kind, text, there, body); err != nil {
		err = fmt.Errorf("%w; another is in %s", err, store.Dir())
	}
	return kept, there, err
}

// readPack reads the pack of a task.
func readPack(file string, each func(kind results.Kind, text string, body []byte) error) (r Record, err error) {
	f, _, err := inputfile.Open(file)
	if err != nil {
		return r, err
	}
	defer f.Close()
	line, err := results.ReadPack(f, each)
	if err == nil {
		r, err = packed(line)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", file, err)
	}
	return r, err
}
