package cluster

import (
	"os"
	"path/filepath"
	"testing"
)

// TestRecordsAddTheStartsOfATask: their times together, and the most memory; a start that stored
// nothing is no work, and a task that is done begins anew.
func TestRecordsAddTheStartsOfATask(t *testing.T) {
	store := t.TempDir()
	for _, c := range []struct {
		done    bool
		stored  int
		seconds float64
		bytes   int64
		want    Record
	}{
		{false, 3, 10, 5, Record{Seconds: 10, Bytes: 5}},
		{false, 2, 7, 9, Record{Seconds: 17, Bytes: 9}},
		{false, 0, 50, 99, Record{Seconds: 17, Bytes: 9}},
		{true, 1, 3, 8, Record{Seconds: 20, Bytes: 9}},
		{true, 0, 1, 1, Record{Seconds: 20, Bytes: 9}},
		{true, 4, 6, 2, Record{Seconds: 6, Bytes: 2}},
	} {
		Record{Run: "run", Task: 1, Of: 3, Done: c.done, Stored: c.stored, Seconds: c.seconds, Bytes: c.bytes}.Write(store)
		c.want.Run, c.want.Task, c.want.Of, c.want.Done, c.want.Stored = "run", 1, 3, c.done, c.stored
		if got := Records(store, "run", 3); got[1] != c.want || got[0] != (Record{}) || got[2] != (Record{}) {
			t.Errorf("%+v, want %+v alone", got, c.want)
		}
	}
}

// TestRecordsAreOfOneRun: those of other specs, flags or numbers of tasks do not count, nor does a
// damaged file.
func TestRecordsAreOfOneRun(t *testing.T) {
	store := t.TempDir()
	Record{Run: "run", Task: 0, Of: 2, Done: true, Stored: 1, Seconds: 60, Bytes: 7}.Write(store)
	Record{Run: "run", Task: 1, Of: 2, Stored: 1, Seconds: 90, Bytes: 9}.Write(store)
	if seconds, bytes := Largest(Records(store, "run", 2)); seconds != 60 || bytes != 7 {
		t.Errorf("%v s, %d bytes; want those of the task that is done", seconds, bytes)
	}
	for _, records := range [][]Record{Records(store, "other", 2), Records(store, "run", 3)} {
		if seconds, bytes := Largest(records); seconds != 0 || bytes != 0 {
			t.Errorf("%+v", records)
		}
	}
	files, err := filepath.Glob(filepath.Join(store, RecordFolder, "*"))
	if err != nil || len(files) != 2 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		if err := os.WriteFile(file, []byte(`{"run": "run", "of": 2, "seco`), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if got := Records(store, "run", 2); got[0] != (Record{}) || got[1] != (Record{}) {
		t.Errorf("%+v", got)
	}
}
