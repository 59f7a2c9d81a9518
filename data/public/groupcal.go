package public

import (
	"context"
	"fmt"
	"regexp"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/internal/pickle"
)

// groupcal reads the pickles of group_calibration: two files a network, named
// <data set>_<network>_<accuracy>_{val,test}.pkl, each a dict of tensors logits
// (n x k), labels (n) and features (n x d).
var groupcal = Format{
	Name: "groupcal", Title: "group_calibration (Yang et al., 2023)",
	Files: "two files a network, *_val.pkl and *_test.pkl", read: readGroupCal,
}

var groupcalName = regexp.MustCompile(`^([a-z0-9]+)_(.+?)(?:_(0\.\d+|1\.0+))?_(val|test)\.(?:pkl|p|pickle)$`)

func readGroupCal(ctx context.Context, in *input) error {
	found := map[string]*network{}
	var list []*network
	have := map[*network]map[string]string{} // files by split
	for _, file := range in.files {
		m := groupcalName.FindStringSubmatch(base(file))
		if m == nil {
			return fmt.Errorf("%s: not named <data set>_<network>_{val,test}.pkl", file)
		}
		if !in.keeps(m[1], m[2]) {
			continue
		}
		key := m[1] + "/" + m[2] + "/" + m[3]
		n := found[key]
		if n == nil {
			n = &network{dataset: datasetName(m[1]), backbone: backboneName(m[2]), kind: data.KindLogits, from: "networks of group_calibration"}
			n.training = "another training"
			found[key], have[n] = n, map[string]string{}
			list = append(list, n)
		}
		if other, ok := have[n][m[4]]; ok {
			return fmt.Errorf("%s: %s is the same set of the same network", file, other)
		}
		have[n][m[4]] = file
		n.sources = append(n.sources, file)
		s := &n.test
		if m[4] == "val" {
			s = &n.cal
		}
		v, err := readPickle(ctx, file)
		if err != nil {
			return err
		}
		if err := readTensors(v, s); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	for _, n := range list {
		for _, name := range []string{"val", "test"} {
			if have[n][name] == "" {
				return fmt.Errorf("%s: there is no file *_%s.pkl of the same network", n.sources[0], name)
			}
		}
		if err := in.add(n); err != nil {
			return err
		}
	}
	return nil
}

// readTensors reads a dict of tensors.
func readTensors(v any, s *split) error {
	d, ok := v.(*pickle.Dict)
	if !ok {
		return fmt.Errorf("holds %s; want a dict with logits and labels", pickle.Describe(v))
	}
	for _, part := range []struct {
		key  string
		want *table
	}{{"logits", &s.scores}, {"labels", nil}, {"features", &s.features}} {
		v, ok := d.Get(part.key)
		if !ok && part.key == "features" {
			continue
		}
		a, isArray := pickle.Array(v)
		if !isArray {
			return fmt.Errorf("%s: %s; want a tensor", part.key, pickle.Describe(v))
		}
		var err error
		if part.want == nil {
			s.labels, err = labelsOf(a)
		} else if *part.want, err = tableOf(a); err != nil {
			err = fmt.Errorf("%s: %w", part.key, err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
