package external

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/npy"
)

// message is any line that a Parent gets.
type message struct {
	wanted
	cancelled
}

// reply is what a test parent does with a line; it writes lines of its own.
type reply func(m message, say func(line string))

// parentOf returns a Parent of one method, which is f. It says first at first.
func parentOf(t *testing.T, first string, f reply) (*Parent, error) {
	t.Helper()
	theirs, to := io.Pipe()
	from, ours := io.Pipe()
	go func() {
		defer ours.Close()
		var mu sync.Mutex
		say := func(line string) {
			mu.Lock()
			defer mu.Unlock()
			fmt.Fprintln(ours, line)
		}
		say(first)
		for lines := bufio.NewScanner(theirs); lines.Scan(); {
			var m message
			if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
				t.Errorf("%s: %v", lines.Text(), err)
			}
			if m.Method == "leave" {
				theirs.Close()
				return
			}
			f(m, say)
		}
	}()
	t.Cleanup(func() { to.Close() })
	return NewParent(t.Context(), from, to)
}

const oneMethod = `{"methods": [{"name": "mine", "version": "1"}]}`

// even answers fit with a file that has the seed, and apply with even probabilities.
func even(m message) error {
	if m.Call == "fit" {
		return os.WriteFile(filepath.Join(m.Dir, "model", "seed"), fmt.Append(nil, m.Seed), 0o666)
	}
	if seed, err := os.ReadFile(filepath.Join(m.Dir, "model", "seed")); err != nil || string(seed) != fmt.Sprint(m.Seed) {
		return fmt.Errorf("seed %q, %v", seed, err)
	}
	probs := make([]float64, n*k)
	for i := range probs {
		probs[i] = 1. / k
	}
	return npy.WriteFloat64(filepath.Join(m.Dir, "probs.npy"), probs, n, k)
}

func answered(id int, err error) string {
	a := answer{ID: id}
	if err != nil {
		a.Error = err.Error()
	}
	line, _ := json.Marshal(a)
	return string(line)
}

// Calls from several goroutines come one at a time, with their folders, seeds and models.
func TestServedCallsComeOneAtATime(t *testing.T) {
	under := 0
	p, err := parentOf(t, oneMethod, func(m message, say func(string)) {
		if under++; under != 1 || m.Method != "mine" {
			t.Errorf("%d calls at a time: %+v", under, m)
		}
		err := even(m)
		under--
		say(answered(m.ID, err))
	})
	if err != nil || len(p.Methods) != 1 || p.Methods[0].Name != "mine" || p.Methods[0].Version != "1" {
		t.Fatal(p, err)
	}
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			v := Calls{To: p.Of("mine"), Limit: time.Minute, Disk: 1 << 20, Seed: 1<<63 + uint64(i)}
			m, err := v.Fit(t.Context(), writeNothing)
			if err != nil {
				t.Error(err)
				return
			}
			table, err := v.Apply(t.Context(), m, writeTest, n, k)
			if err != nil {
				t.Error(err)
				return
			}
			defer table.Close()
			if err := table.Rows(data.NewProbs(n, k), 0); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

// Each failure of a served call is an error of its own, and the next call succeeds while the
// process lives. A late answer to a cancelled call is not taken for that of the next one.
func TestFailuresOfServedCalls(t *testing.T) {
	cancelled := 0
	p, err := parentOf(t, oneMethod, func(m message, say func(string)) {
		switch {
		case m.Cancel != 0:
			cancelled++
			say(answered(m.Cancel, errors.New("too late")))
		case m.Method == "raises":
			say(fmt.Sprintf(`{"id": %d, "error": "ValueError: no rows\nin %s", "line": "mine.py:12"}`, m.ID, m.Dir))
		case m.Method == "hangs":
		case m.Method == "floods":
			os.WriteFile(filepath.Join(m.Dir, "model", "big"), make([]byte, 2<<20), 0o666)
		case m.Method == "garbles":
			say("no JSON")
		default:
			say(answered(m.ID, even(m)))
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	call := func(method string, limit time.Duration) error {
		_, err := Calls{To: p.Of(method), Limit: limit, Disk: 1 << 20}.Fit(t.Context(), writeNothing)
		return err
	}
	for _, c := range []struct {
		method string
		limit  time.Duration
		want   string
	}{
		{"raises", time.Minute, "fit raised ValueError: no rows | in DIR (mine.py:12)"},
		{"mine", time.Minute, "<nil>"},
		{"hangs", 100 * time.Millisecond, "fit ran longer than its limit of 100ms and was cancelled"},
		{"mine", time.Minute, "<nil>"},
		{"floods", time.Minute, "fit wrote more than 1 MiB and was cancelled"},
		{"mine", time.Minute, "<nil>"},
	} {
		if err := call(c.method, c.limit); fmt.Sprint(err) != c.want {
			t.Errorf("%s: %v, want %s", c.method, err, c.want)
		}
	}
	if cancelled != 2 {
		t.Errorf("%d calls were cancelled, want 2", cancelled)
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	if _, err := (Calls{To: p.Of("hangs"), Limit: time.Minute, Disk: 1 << 20}).Fit(ctx, writeNothing); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := call("garbles", time.Minute); err == nil || err.Error() != `"no JSON", which the process that serves the method wrote for an answer, is no line of the protocol` {
		t.Error(err)
	}
}

// After the end of the process every call fails.
func TestCallsFailAfterTheEndOfTheProcess(t *testing.T) {
	p, err := parentOf(t, oneMethod, func(m message, say func(string)) {})
	if err != nil {
		t.Fatal(err)
	}
	for _, method := range []string{"leave", "mine"} {
		if _, err := (Calls{To: p.Of(method), Limit: time.Minute, Disk: 1 << 20}).Fit(t.Context(), writeNothing); !errors.Is(err, errGone) {
			t.Errorf("%s: %v", method, err)
		}
	}
}

func TestFirstLineListsMethods(t *testing.T) {
	for _, first := range []string{"", "no JSON", `{"methods": []}`, `{"id": 1}`, strings.Repeat("x", maxAnswer+1)} {
		if p, err := parentOf(t, first, func(message, func(string)) {}); err == nil {
			t.Errorf("%.40q: %+v", first, p.Methods)
		}
	}
}
