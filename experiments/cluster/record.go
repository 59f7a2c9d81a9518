package cluster

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/qats-bench/qats/internal/atomicfile"
	"github.com/qats-bench/qats/internal/inputfile"
)

// RecordFolder is the folder in the store with one file for each task that has ended.
const RecordFolder = "tasks"

// MaxTasks is the largest number of tasks of a run.
const MaxTasks = 10_000

// Record is what a task leaves when it ends. A task that is killed leaves none. No result depends
// on records: they say which cells failed, since the store has nothing of them, and how much time
// and memory a task needs.
type Record struct {
	Run    string `json:"run"` // digest of the specs and flags, the same for all tasks
	Task   int    `json:"task"`
	Of     int    `json:"of"`
	Done   bool   `json:"done"`   // it went through all of its cells
	Failed int    `json:"failed"` // cells
	Stored int    `json:"stored"` // objects put into the store since it was started last

	Seconds float64 `json:"seconds"` // of all its starts together
	Bytes   int64   `json:"bytes"`   // of memory, the most that one of its starts had from the system
}

// path is the file of the record in a store.
func (r *Record) path(store string) string {
	return filepath.Join(store, RecordFolder, fmt.Sprintf("%.12s-%d-of-%d.json", r.Run, r.Task, r.Of))
}

// Write adds the record of a start to that of the earlier starts of the task. A start that stored
// nothing does not count as work, and a task that was done begins anew. An error of writing is
// none of the task.
func (r Record) Write(store string) {
	if before, ok := r.before(store); ok {
		switch {
		case r.Stored == 0:
			r.Seconds, r.Bytes = before.Seconds, before.Bytes
		case !before.Done:
			r.Seconds, r.Bytes = r.Seconds+before.Seconds, max(r.Bytes, before.Bytes)
		}
	}
	r.put(store)
}

// put replaces the record in a store.
func (r Record) put(store string) error {
	file := r.path(store)
	text, err := json.Marshal(r)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(file), 0o777)
	}
	if err != nil {
		return err
	}
	return atomicfile.WriteBytes(file, append(text, '\n'))
}

// before reads the record of the same task.
func (r *Record) before(store string) (before Record, ok bool) {
	text, err := inputfile.Read(r.path(store))
	ok = err == nil && json.Unmarshal(text, &before) == nil && before.Run == r.Run && before.Task == r.Task && before.Of == r.Of &&
		before.Failed >= 0 && before.Seconds >= 0 && before.Bytes >= 0
	if !ok {
		before = Record{}
	}
	return before, ok
}

// Records returns the records of n tasks of a run, by task. Of a task that has left none, or a
// file that cannot be read, the record is empty.
func Records(store, run string, n int) []Record {
	list := make([]Record, n)
	for i := range list {
		list[i], _ = (&Record{Run: run, Task: i, Of: n}).before(store)
	}
	return list
}

// Largest returns the most time, in seconds, and the most memory, in bytes, that a task needed that
// is done: 0 if none is.
func Largest(records []Record) (seconds float64, bytes int64) {
	for _, r := range records {
		if r.Done {
			seconds, bytes = max(seconds, r.Seconds), max(bytes, r.Bytes)
		}
	}
	return seconds, bytes
}
