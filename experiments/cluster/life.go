package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/internal/atomicfile"
	"github.com/qats-bench/qats/internal/inputfile"
	"github.com/qats-bench/qats/results"
)

// LifeFolder is the folder in the store with one file for each shard: its signs of
// life.
const LifeFolder = "shards"

// done is the State of a shard that has gone through its part.
const done = "done"

// lifeEvery is the least time between two signs of life.
const lifeEvery = 5 * time.Second

// Sign is a sign of life of a shard.
type Sign struct {
	Shard  int       `json:"shard"`
	Of     int       `json:"of"`
	Done   int       `json:"done"`
	Failed int       `json:"failed"`
	Total  int       `json:"total"`
	New    int       `json:"new"`   // objects put into the store since the shard was started last
	Plan   int       `json:"plan"`  // cells of all shards
	Run    string    `json:"run"`   // digest of the specs and flags, the same for all shards
	State  string    `json:"state"` // running, done, stopped, failed
	Host   string    `json:"host"`
	Job    string    `json:"job,omitempty"` // of Slurm
	PID    int       `json:"pid"`
	Time   time.Time `json:"time"`

	// Estimated seconds: what is left of the shard, at the speed that it has had so far, and the
	// processor time of the whole shard and of the whole plan, done or not.
	Left float64 `json:"left"`
	Load float64 `json:"load"`
	All  float64 `json:"all"`

	// Kept has the keys of the objects in the store that hold a cell, for each cell that
	// is done and has a value.
	Kept []map[results.Kind]string `json:"kept"`
}

// Missing counts the cells of a shard that are not in the store: those that it has not
// done, and those whose objects are gone.
func (s *Sign) Missing(store *results.Store) (missing, lost int) {
	for _, keys := range s.Kept {
		for kind, key := range keys {
			if !store.Has(kind, key) {
				lost++
				break
			}
		}
	}
	return s.Total - s.Done + lost, lost
}

// Left returns the estimated time that is left of a run with these signs: of all its shards
// together, and of the shard with most. A shard without a sign has the mean of the rest of the
// plan.
func Left(signs []Sign) (together, longest time.Duration) {
	if len(signs) == 0 {
		return 0, 0
	}
	sum, most, load := 0.0, 0.0, 0.0
	for _, s := range signs {
		load += s.Load
		if s.State != done {
			sum, most = sum+s.Left, max(most, s.Left)
		}
	}
	if out := signs[0].Of - len(signs); out > 0 {
		rest := max(0, signs[0].All-load)
		sum, most = sum+rest, max(most, rest/float64(out))
	}
	return time.Duration(sum * float64(time.Second)), time.Duration(most * float64(time.Second))
}

// Life writes the signs of life of a shard. No result depends on them, and an error of writing
// them is none of the run. They are for people, for the batch script of a shard, which asks for
// another start only if the last one was of use, and for the assembly, which waits for all shards.
type Life struct {
	path  string
	last  Sign
	start time.Time
}

// NewLife returns the signs of a shard of a plan with so many cells. digest is that of the
// run. A run without shards gives none.
func NewLife(store string, s experiments.Shard, plan int, digest string) *Life {
	if s.N == 0 {
		return &Life{}
	}
	host, _ := os.Hostname()
	job := os.Getenv("SLURM_ARRAY_JOB_ID")
	if task := os.Getenv("SLURM_ARRAY_TASK_ID"); job != "" {
		job += "_" + task
	}
	return &Life{start: time.Now(), path: filepath.Join(store, LifeFolder, fmt.Sprintf("%d-of-%d.json", s.I, s.N)),
		last: Sign{Shard: s.I, Of: s.N, Plan: plan, Run: digest, Host: host, Job: job, PID: os.Getpid()}}
}

// Show writes a sign, at most one in a few seconds.
func (l *Life) Show(p experiments.Progress) {
	l.last.Done, l.last.Failed, l.last.Total, l.last.New = p.Done, p.Failed, p.Total, p.New
	l.last.Load, l.last.All = p.Load.Seconds(), p.Plan.Seconds()
	l.last.Left = p.Left.Seconds()
	if left, ok := experiments.TimeLeft((p.Todo - p.Left).Seconds(), p.Left.Seconds(), time.Since(l.start)); ok {
		l.last.Left = left.Seconds()
	}
	l.last.Kept = append(l.last.Kept, p.Kept...)
	if time.Since(l.last.Time) >= lifeEvery {
		l.write("running")
	}
}

// End writes the last Sign.
func (l *Life) End(err error) {
	switch {
	case err == nil:
		l.write(done)
	case errors.Is(err, context.Canceled):
		l.write("stopped")
	default:
		l.write("failed")
	}
}

func (l *Life) write(state string) {
	if l.path == "" {
		return
	}
	l.last.State, l.last.Time = state, time.Now().UTC().Truncate(time.Second)
	b, _ := json.Marshal(l.last)
	if os.MkdirAll(filepath.Dir(l.path), 0o777) == nil {
		atomicfile.WriteBytes(l.path, append(b, '\n'))
	}
}

// Out returns the shards 1 to n of the run with this digest that have not done their part, each
// with its last sign of life; the State of one without a sign is "not started". A shard with
// failed cells has done its part. Signs of a run that was divided into another number do not
// count.
func Out(store string, n int, digest string) []Sign {
	signs := readSigns(store)
	var out []Sign
	for i := 1; i <= n; i++ {
		at := slices.IndexFunc(signs, func(s Sign) bool { return s.Shard == i && s.Of == n && s.Run == digest })
		switch {
		case at < 0:
			out = append(out, Sign{Shard: i, Of: n, State: "not started"})
		case signs[at].State != done:
			out = append(out, signs[at])
		}
	}
	return out
}

// ReadSigns reads the signs of the newest run on a store: those with the count of shards, the
// cells of the plan and the digest of the newest sign.
func ReadSigns(store string) ([]Sign, error) {
	dir := filepath.Join(store, LifeFolder)
	files, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(files) == 0 {
		return nil, fmt.Errorf("%s: no shard has run here: qats run SPEC --shard i/n does, or qats cluster submit", store)
	}
	if err != nil {
		return nil, err
	}
	signs, newest := readSigns(store), Sign{}
	for _, s := range signs {
		if s.Time.After(newest.Time) || newest.Of == 0 {
			newest = s
		}
	}
	signs = slices.DeleteFunc(signs, func(s Sign) bool { return s.Of != newest.Of || s.Plan != newest.Plan || s.Run != newest.Run })
	slices.SortFunc(signs, func(a, b Sign) int { return a.Shard - b.Shard })
	return signs, nil
}

// readSigns reads the signs of all runs on a store.
func readSigns(store string) []Sign {
	dir := filepath.Join(store, LifeFolder)
	files, _ := os.ReadDir(dir)
	var signs []Sign
	for _, f := range files {
		b, err := inputfile.Read(filepath.Join(dir, f.Name()))
		var s Sign
		if err != nil || json.Unmarshal(b, &s) != nil || s.Of < 1 || s.Shard < 1 || s.Shard > s.Of {
			continue // an unfinished file
		}
		signs = append(signs, s)
	}
	return signs
}
