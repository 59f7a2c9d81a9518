package experiments

import (
	"encoding/json"
	"time"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/internal/kernel/cpu"
	"github.com/qats-bench/qats/results"
)

// fitTime is the processor time of a fit as the store keeps it, beside the fit and
// under its key. No key and no other result depends on it. It is written when the fit
// is made, so a fit that is found in the store keeps its time, and a fit without one,
// such as one of an older program, has none.
type fitTime struct {
	Seconds      float64 `json:"seconds"`
	Rows         int     `json:"rows,omitempty"`
	Classes      int     `json:"classes,omitempty"`
	Processor    string  `json:"processor,omitempty"`
	Instructions string  `json:"instructions,omitempty"`

	known bool
}

// timeOf returns the time of a fit on in.
func timeOf(spent time.Duration, known bool, in calib.Input) fitTime {
	t := fitTime{Seconds: spent.Seconds(), Processor: cpu.Model(), known: known}
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
	row := results.Time{Setting: u.Setting.Setting, Method: c.Method.Name, Source: string(u.Provenance.Origin)}
	body, err := p.store.Get(results.Times, results.Key(c.fit))
	var t fitTime
	if err != nil || json.Unmarshal(body, &t) != nil {
		return row
	}
	row.Seconds, row.Known, row.Rows, row.Classes = t.Seconds, true, t.Rows, t.Classes
	row.Processor, row.Instructions = t.Processor, t.Instructions
	return row
}
