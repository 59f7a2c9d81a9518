package experiments

import (
	"strings"
	"testing"

	"github.com/qats-bench/qats/data"
)

// TestRunRefusesWhatItsMemoryDoesNotHold before it computes anything, and names what the run
// needs and where.
func TestRunRefusesWhatItsMemoryDoesNotHold(t *testing.T) {
	const n = 300000
	w := newWorld(t)
	set := &data.Set{Logits: data.NewMatrix(n, 2), Labels: make([]int32, n)}
	for i := range set.Labels {
		set.Logits.Row(i)[i%3%2] = float32(i % 7)
		set.Labels[i] = int32(i % 2)
	}
	w.write("d/wide/test", set)
	w.write("d/wide/cal", set.Rows(0, 100))
	const text = "name: t\nmetrics: [ece]\nmethods: [uncal, ts, qats]\nsettings: {dataset: d, backbone: [a, wide]}\n"
	for _, c := range []struct {
		memory     int64
		spec, want string
	}{
		{1, text, "d/wide: the paired intervals of two methods on 300000 rows take 79 MiB; raise --max-memory, or write baseline: none"},
		{1, text + "baseline: none\n", "d/wide: to apply and score a method on 300000 rows takes 33 MiB; raise --max-memory"},
		{20 << 20, text, "d/wide: the paired intervals of two methods on 300000 rows take 79 MiB; raise --max-memory, or write baseline: none"},
		{20 << 20, text + "baseline: none\n", ""},
	} {
		w.memory = c.memory
		out, err := w.plan(c.spec, false).Run(t.Context(), RunOptions{})
		switch {
		case c.want == "" && (err != nil || out.Failed > 0 || out.Scored != 6):
			t.Errorf("%d bytes: %+v, %v", c.memory, out, err)
		case c.want != "" && (err == nil || err.Error() != c.want):
			t.Errorf("%d bytes: %v, want %s", c.memory, err, c.want)
		}
	}
}

// TestGroupsFitIntoTheMemory: as many cells and pairs at a time as the limit holds.
func TestGroupsFitIntoTheMemory(t *testing.T) {
	m := memory{rows: 10, arrays: 100, cell: 330, apply: 400, score: 640, method: 480, drawn: 160}
	for cells := 1; cells < 20; cells++ {
		limit := m.arrays + m.apply + int64(cells)*m.cell
		if m.applied(limit) != cells || m.applied(limit-1) != cells-1 {
			t.Errorf("%d bytes: %d cells at a time, want %d", limit, m.applied(limit), cells)
		}
		limit = m.drawn + int64(1+cells)*(m.cell+m.method)
		if m.paired(limit) != cells || m.paired(limit-1) != cells-1 {
			t.Errorf("%d bytes: %d pairs at a time, want %d", limit, m.paired(limit), cells)
		}
	}
	if got, want := m.whole(3, 0), int64(100+3*330+640); got != want {
		t.Errorf("three cells take %d bytes, want %d", got, want)
	}
	if got, want := m.whole(3, 2), int64(100+3*330+160+3*480); got != want {
		t.Errorf("three cells and two pairs take %d bytes, want %d", got, want)
	}
	m.cell = spare
	if need, work := m.least(false); need != m.cell+m.score || !strings.Contains(work, "17 MiB") {
		t.Errorf("%d bytes: %s", need, work)
	}
	if need, work := m.least(true); need != 160+2*(m.cell+480) || !strings.Contains(work, "33 MiB") {
		t.Errorf("%d bytes for a pair: %s", need, work)
	}
}
