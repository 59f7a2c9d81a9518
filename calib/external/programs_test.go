package external

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"
)

// pidOf returns the process that has made a fit.
func pidOf(t *testing.T, c Calls) string {
	t.Helper()
	m, err := c.Fit(t.Context(), writeNothing)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range unpacked(t, m) {
		if f.name == "pid" {
			return f.body
		}
	}
	t.Fatal("no process is in the model")
	return ""
}

// A program that serves has one process for calls one after the other, and one for each
// call at a time. Other arguments are another program. All end with Close.
func TestOneProcessForEachWorker(t *testing.T) {
	program := build(t, "./testdata/hostile")
	var programs Programs
	c := Calls{To: programs.Of(Program{Argv: []string{program, "serve-pid"}, Dir: ".", Serves: true}), Limit: time.Minute, Disk: 1 << 20}
	first := pidOf(t, c)
	if again := pidOf(t, c); again != first {
		t.Errorf("process %s, then %s", first, again)
	}
	held, err := c.To.begin(t.Context()) // the process of a worker that is in a call
	if err != nil {
		t.Fatal(err)
	}
	other := pidOf(t, c)
	held.end()
	more := c
	more.To = programs.Of(Program{Argv: []string{program, "serve-pid"}, Dir: ".", Serves: true, Env: []string{"HOME"}})
	third := pidOf(t, more)
	if other == first || third == first || third == other {
		t.Errorf("processes %s, %s and %s", first, other, third)
	}
	programs.Close()
	for _, text := range []string{first, other, third} {
		var pid int
		fmt.Sscan(text, &pid)
		checkGone(t, pid)
	}
}

// A process that has ended between two calls, or in one, is started again.
func TestProcessIsStartedAgainAfterItsEnd(t *testing.T) {
	program := build(t, "./testdata/hostile")
	var programs Programs
	defer programs.Close()
	c := Calls{To: programs.Of(Program{Argv: []string{program, "serve-once"}, Dir: ".", Serves: true}), Limit: time.Minute, Disk: 1 << 20}
	for range 3 {
		if _, err := c.Fit(t.Context(), writeNothing); err != nil {
			t.Error(err)
		}
		<-programs.idle[0].run.ended
	}
	c.To = programs.Of(Program{Argv: []string{program, "hang"}, Dir: ".", Serves: true})
	for range 2 {
		m, err := c.Fit(t.Context(), writeNothing)
		if err != nil {
			t.Fatal(err)
		}
		c.Limit = 200 * time.Millisecond
		if _, err := c.Apply(t.Context(), m, writeTest, n, k); err == nil {
			t.Error("a call that hangs succeeds")
		}
		c.Limit = time.Minute
	}
}

// A cancelled call of a program that serves ends its process, and the error is that of the
// context.
func TestCancelledCallEndsItsProcess(t *testing.T) {
	program := build(t, "./testdata/hostile")
	var programs Programs
	c := Calls{To: programs.Of(Program{Argv: []string{program, "fit-hang"}, Dir: ".", Serves: true}), Limit: time.Minute, Disk: 1 << 20}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(200*time.Millisecond, cancel)
	if _, err := c.Fit(ctx, writeNothing); err != context.Canceled || len(programs.idle) > 0 {
		t.Errorf("%v, %d processes are kept", err, len(programs.idle))
	}
}

// What a process says in one call counts for that call alone.
func TestWordsOfOneCall(t *testing.T) {
	const talks = `echo '{"methods": [{"name": "sh"}]}'
while read -r line; do
  id=${line#*:}; id=${id%%,*}
  head -c 600000 /dev/zero >&2; echo "call $id" >&2
  if [ "$id" = 3 ]; then exit 7; fi
  echo "{\"id\": $id}"
done`
	var programs Programs
	defer programs.Close()
	c := Calls{To: programs.Of(Program{Argv: []string{"sh", "-c", talks}, Dir: ".", Serves: true}), Limit: time.Minute, Disk: 1 << 20}
	for _, want := range []string{"<nil>", "<nil>", "fit ended with exit status 7; it said: ... call 3"} {
		if _, err := c.Fit(t.Context(), writeNothing); fmt.Sprint(err) != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// Many calls at a time of one program have no race.
func TestCallsAtATime(t *testing.T) {
	program := build(t, "./testdata/hostile")
	var programs Programs
	c := Calls{To: programs.Of(Program{Argv: []string{program, "well"}, Dir: ".", Serves: true}), Limit: time.Minute, Disk: 1 << 20}
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			for range 4 {
				if err := whole(c); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if got := len(programs.idle); got < 1 || got > 3 {
		t.Errorf("%d processes for three workers", got)
	}
	programs.Close()
}
