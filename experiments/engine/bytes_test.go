package engine

import (
	"testing"

	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/metrics/scoring"
)

// TestGroupsFitIntoTheMemory: as many columns and pairs at a time as the limit holds.
func TestGroupsFitIntoTheMemory(t *testing.T) {
	m := Account{Rows: 10, Fits: 100, Column: 330, Blocks: 150, Apply: 250, Score: 640, Method: 480, Drawn: 160}
	for cells := 1; cells < 20; cells++ {
		limit := m.Fits + m.Blocks + m.Apply + int64(cells)*m.Column
		if m.Applied(limit) != cells || m.Applied(limit-1) != cells-1 {
			t.Errorf("%d bytes: %d columns at a time, want %d", limit, m.Applied(limit), cells)
		}
		limit = m.Drawn + int64(1+cells)*(m.Column+m.Method)
		if m.Paired(limit) != cells || m.Paired(limit-1) != cells-1 {
			t.Errorf("%d bytes: %d pairs at a time, want %d", limit, m.Paired(limit), cells)
		}
	}
	if got, want := m.Most(3, 0), int64(100+3*330+640); got != want {
		t.Errorf("three columns take %d bytes, want %d", got, want)
	}
	if got, want := m.Most(3, 2), int64(100+3*330+160+3*480); got != want {
		t.Errorf("three columns and two pairs take %d bytes, want %d", got, want)
	}
	if one, pair := m.Least(); one != 330+640 || pair != 160+2*(330+480) {
		t.Errorf("one takes %d bytes, a pair %d", one, pair)
	}
}

// TestScoresTakeTheMemoryThatIsStated: scoring.RowBytes and metrics.ScoreBytes a row, and no row is
// counted twice.
func TestScoresTakeTheMemoryThatIsStated(t *testing.T) {
	const n, k = 1000, 7
	plain := NewAccount(n, k, Reads{}, nil, false)
	if one, _ := plain.Least(); one != n*(scoring.RowBytes+metrics.ScoreBytes) && one != n*scoring.RowBytes+plain.Blocks {
		t.Errorf("%+v", plain)
	}
	stored := NewAccount(n, k, Reads{}, nil, true)
	if stored.Apply != plain.Apply+n*scoring.RowBytes || stored.Column != plain.Column {
		t.Errorf("stored: %+v, else %+v", stored, plain)
	}
	whole := NewAccount(n, k, Reads{Vectors: true}, nil, false)
	if got := whole.Column + whole.Apply - plain.Column; got != scoring.VectorBytes(n, k) {
		t.Errorf("whole vectors take %d bytes, want %d", got, scoring.VectorBytes(n, k))
	}
	method, drawn := metrics.PairBytes(metrics.Paired())
	if pairs := NewAccount(n, k, Reads{}, metrics.Paired(), false); pairs.Method != int64(n*method) || pairs.Drawn != int64(n*drawn) {
		t.Errorf("pairs: %+v", pairs)
	}
}
