package spec

import (
	"cmp"

	"github.com/qats-bench/qats/data/keyed"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/metrics"
)

// metricItem is a metric as it stands in the spec.
type metricItem struct {
	Metric   string `key:"metric" brief:"" required:"" of:"{metrics} {metric-groups}" pattern:"^ece_[0-9]+_(uniform|quantile)_(l1|l2|max)$" help:"Name of the metric or group." example:"ece"`
	Bins     int    `key:"bins" range:"1 to 10000" want:"give 1 to 10000 bins" default:"15" help:"Number of bins; only of ece." example:"10"`
	Strategy string `key:"strategy" of:"uniform quantile" default:"uniform" help:"Bins of equal width (uniform) or of equal mass (quantile); only of ece." example:"quantile"`
	Norm     string `key:"norm" of:"l1 l2 max" default:"l1" help:"Mean of the gaps of bins (l1), root of the mean square (l2), or the largest (max); only of ece." example:"l2"`
}

func (metricItem) About() (name, text string) {
	return "metric", "A metric with options. Its id in the result files, and in tables and figures of the spec, has all of them: {metric: ece, bins: 10} is ece_10_uniform_l1."
}

// metricName is the name of a metric, and the value of the spec that says it.
type metricName struct {
	name string
	at   any
}

// nameOf returns the name of the metric of an item, with its options.
func (r *reader) nameOf(item *metricItem) metricName {
	n := metricName{item.Metric, &item.Metric}
	if item.Metric == "" && r.Sound(item) {
		r.Errorf(item, "a metric needs its name, as in {metric: ece, bins: 10}")
		return n
	}
	if !r.Given(&item.Bins) && !r.Given(&item.Strategy) && !r.Given(&item.Norm) {
		return n
	}
	if match, ok := keyed.Match(item.Metric, []string{"ece"}); !ok {
		r.Errorf(item, "metric %q has no options; ece has bins, strategy and norm", item.Metric)
	} else {
		o := metrics.ECEOptions{Bins: cmp.Or(item.Bins, 15), Strategy: metrics.Strategy(cmp.Or(item.Strategy, string(metrics.Uniform))), Norm: metrics.Norm(cmp.Or(item.Norm, string(metrics.L1)))}
		if n.name = match; o.Check() != nil {
			r.Errorf(item, "%v", o.Check())
		} else if o != (metrics.ECEOptions{Bins: 15, Strategy: metrics.Uniform, Norm: metrics.L1}) { // that is ece
			n.name = o.Name()
		}
	}
	return n
}

// texts are the names in a list of the spec.
func texts(list []string) []metricName {
	all := make([]metricName, len(list))
	for i := range list {
		all[i] = metricName{list[i], &list[i]}
	}
	return all
}

// withOptions returns the metrics, and those with options that are named.
func withOptions(list []metrics.Entry, items []metricName) []metrics.Entry {
	return metrics.Known(list, lists.Values(items, func(n metricName) string { return n.name })...)
}
