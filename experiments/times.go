package experiments

import (
	"encoding/json"
	"time"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/internal/kernel/cpu"
	"github.com/qats-bench/qats/results"
)

// timeOf returns the time of a fit on in as the store keeps it, beside the fit and under
// its key. No key and no other result depends on it. It is written when the fit is made,
// so a fit that is found in the store keeps its time, and a fit without one, such as one
// of an older program, has none.
func timeOf(spent time.Duration, known bool, in calib.Input) results.Time {
	t := results.Time{Seconds: spent.Seconds(), Known: known, Processor: cpu.Model()}
	switch {
	case in.Stream != nil:
		t.Rows, t.Classes = in.Stream.Rows(), in.Stream.Classes()
	case in.Cal != nil:
		t.Rows, t.Classes = in.Cal.Logits.Rows, in.Cal.Logits.Cols
	}
	return t
}

// timeRow returns the row of times.csv of a cell with values. A time that is absent or
// damaged is empty: the fit is not made again for it.
func (p *Plan) timeRow(u *Unit, c *Cell) results.Time {
	var t results.Time
	body, err := p.options.Store.Get(results.Times, results.Key(c.fit))
	if err == nil {
		err = json.Unmarshal(body, &t)
	}
	if err != nil {
		t = results.Time{}
	}
	t.Setting, t.Method, t.Source, t.Known = u.Setting.Setting, c.Method.Name, string(u.Provenance.Origin), err == nil
	return t
}
