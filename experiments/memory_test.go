package experiments

import (
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
