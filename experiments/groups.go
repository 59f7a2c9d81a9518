package experiments

import (
	"slices"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/all"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
)

// fastPasses is the most passes of a fit in the group @fast: about 0.1 s of processor time
// on 10,000 rows of 100 classes.
const fastPasses = 100

// methodGroups returns the groups of methods, those that most users want first. What a contract or
// another value of an entry says decides the members; the other groups are lists.
func methodGroups() []spec.Group {
	of := func(name, summary string, has func(e calib.Entry) bool) spec.Group {
		return spec.Group{Name: name, Summary: summary, Members: func() []string {
			return lists.Values(lists.Where(all.Registry(), has), func(e calib.Entry) string { return e.Name })
		}}
	}
	where := func(name, summary string, has func(e calib.Entry, c calib.Contract) bool) spec.Group {
		return of(name, summary, func(e calib.Entry) bool { return !results.IsFloor(e.Name) && has(e, e.Method.Contract()) })
	}
	listed := func(name, summary string, methods ...string) spec.Group {
		return where(name, summary, func(e calib.Entry, _ calib.Contract) bool { return slices.Contains(methods, e.Name) })
	}
	const labelled = data.Logits | data.Labels
	return []spec.Group{
		// The methods of probabilities that lead docs/findings.md in ECE, AECE, NLL or Brier
		// score and whose fits on 10,000 rows of 100 classes take 0.5 s of processor time
		// together. sms leads too, but takes 1.4 s there and at most 100 classes. Methods that
		// give the predicted class alone a new confidence have no NLL to choose them by.
		listed("@recommended", "a good first set: fast methods that did well in docs/findings.md, with qats, ts and uncal",
			"uncal", "ts", "ets", "ir", "platt-logits", "quadratic", "svs", "hts", "qats"),
		// The methods for two classes that docs/choose.md compares: an offset beside the slope, maps of each
		// probability, and quadratic with a penalty. Of the two isotonic maps ivap gives no probability
		// of exactly 0, which a few test rows would pay for, and irova does.
		listed("@recommended-2", "to begin with where there are two classes, with qats, ts and uncal",
			"uncal", "ts", "platt-logits", "beta", "ivap", "quadratic-ridge", "qats"),
		listed("@paper", "the methods of the paper's tables",
			"uncal", "ts", "ir", "tta-ts", "gc-split", "featclip", "hfe", "hfe-target", "qats", "qats-pw", "qats-transductive"),
		where("@fast", "only logits and labels, a fit on 10,000 x 100 takes 0.1 s or less", func(e calib.Entry, c calib.Contract) bool {
			return (c.Cal|c.Test|c.Target)&^labelled == 0 && c.Target == 0 && e.Passes(100) <= fastPasses
		}),
		where("@logits", "methods that need only logits and labels", func(_ calib.Entry, c calib.Contract) bool {
			return (c.Cal|c.Test)&^labelled == 0 && c.Target == 0
		}),
		where("@keeps-top1", "the predicted class of every row stays the same", func(_ calib.Entry, c calib.Contract) bool { return c.KeepsTop1 }),
		where("@changes-top1", "the predicted class of a row may change", func(_ calib.Entry, c calib.Contract) bool { return !c.KeepsTop1 }),
		where("@top-label", "a new confidence of the predicted class, no probabilities of the others", func(e calib.Entry, _ calib.Contract) bool { return e.TopLabelOnly() }),
		where("@confidence", "the confidence of the prediction is enough: for predictions without logits", func(_ calib.Entry, c calib.Contract) bool { return c.Confidence }),
		where("@features", "methods that read features of the network", func(_ calib.Entry, c calib.Contract) bool { return (c.Cal|c.Test)&data.Features != 0 }),
		where("@ood", "methods that read logits of out-of-distribution rows", func(_ calib.Entry, c calib.Contract) bool { return c.Cal&data.OOD != 0 }),
		where("@target", "methods that read unlabelled rows of the set that they are applied to", func(_ calib.Entry, c calib.Contract) bool { return c.Target != 0 }),
		listed("@qats", "QaTS and its variants", "qats", "qats-pw", "qats-free", "qats-pw-free", "qats-transductive", "qats-reading"),
		listed("@historical", "published up to 2017, with which later papers compare",
			"ts", "ts-guo50", "irova", "cir", "ivap", "cvap", "hb", "hb-mass", "bbq", "platt", "beta", "vs"),
		of("@all", "every method", func(calib.Entry) bool { return true }),
	}
}

// metricGroups returns the groups of metrics, that of a spec without a list first.
func metricGroups() []spec.Group {
	where := func(name, summary string, has func(metrics.Entry) bool) spec.Group {
		return spec.Group{Name: name, Summary: summary, Members: func() []string {
			return lists.Values(lists.Where(metrics.Registry(), has), func(e metrics.Entry) string { return e.Name })
		}}
	}
	of := func(name metrics.GroupName, summary string) spec.Group {
		return where(string(name), summary, func(e metrics.Entry) bool { return e.Group == name })
	}
	return []spec.Group{
		where("@default", "accuracy, ECE, AECE, NLL and Brier score, with what their tables show beside them: consistency bands and changed predictions",
			func(e metrics.Entry) bool { return !e.OnRequest }),
		of(metrics.Binned, "calibration errors by bins"),
		of(metrics.Unbinned, "calibration errors without bins"),
		of(metrics.Proper, "proper scores, which calibration and sharpness improve, and their parts"),
		of(metrics.Ranking, "how well confidence tells right rows from wrong ones"),
		of(metrics.Predictions, "only the predicted classes"),
		where("@all", "every metric", func(metrics.Entry) bool { return true }),
	}
}
