package public

import (
	"context"
	"fmt"
	"regexp"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/internal/pickle"
)

// nncal reads the pickles that scripts/utility/evaluation.py of NN_calibration
// writes: [(logits_val, y_val), (logits_test, y_test)], logits n x k float32 and
// labels n x 1. The name of a file is probs_<network>_<data set>_logits.p.
var nncal = Format{
	Name: "nncal", Title: "NN_calibration (Kull et al., 2019): CIFAR-10, CIFAR-100, SVHN",
	Files: "its files probs_*_logits.p", Licence: "MIT", read: readNNCal,
}

var nncalName = regexp.MustCompile(`^(?:probs_)?(.+)_(c10|c100|SVHN|birds|cars|imgnet)_logits\.p(?:kl|ickle)?$`)

func readNNCal(ctx context.Context, in *input) error {
	for _, file := range in.files {
		n := &network{kind: data.KindLogits, from: "networks of NN_calibration", sources: []string{file}}
		if m := nncalName.FindStringSubmatch(base(file)); m != nil {
			if !in.keeps(m[2], m[1]) {
				continue
			}
			n.dataset, n.backbone = datasetName(m[2]), backboneName(m[1])
		} else if in.Dataset == "" {
			return fmt.Errorf("%s: not named probs_<network>_<data set>_logits.p; give --dataset and --backbone", file)
		} else {
			n.dataset, n.backbone = in.Dataset, in.Backbone
		}
		v, err := readPickle(ctx, file)
		if err != nil {
			return err
		}
		if n.cal, n.test, err = pairs(v); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		n.training = "another network and training"
		if err := in.add(n); err != nil {
			return err
		}
	}
	return nil
}

// pairs reads [(logits, labels), (logits, labels)].
func pairs(v any) (cal, test split, err error) {
	list, ok := pickle.Items(v)
	if !ok || len(list) != 2 {
		return cal, test, fmt.Errorf("holds %s; want [(logits, labels), (logits, labels)]", pickle.Describe(v))
	}
	for i, s := range []*split{&cal, &test} {
		where := []string{"validation set", "test set"}[i]
		pair, ok := pickle.Items(list[i])
		if !ok || len(pair) != 2 {
			return cal, test, fmt.Errorf("%s: %s; want (logits, labels)", where, pickle.Describe(list[i]))
		}
		logits, ok1 := pickle.Array(pair[0])
		labels, ok2 := pickle.Array(pair[1])
		if !ok1 || !ok2 {
			return cal, test, fmt.Errorf("%s: %s and %s; want two arrays", where, pickle.Describe(pair[0]), pickle.Describe(pair[1]))
		}
		if s.scores, err = tableOf(logits); err != nil {
			return cal, test, fmt.Errorf("%s: logits: %w", where, err)
		}
		if s.labels, err = labelsOf(labels); err != nil {
			return cal, test, fmt.Errorf("%s: %w", where, err)
		}
	}
	return cal, test, nil
}
