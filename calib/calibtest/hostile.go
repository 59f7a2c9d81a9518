package calibtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/data"
)

// hostileParams: a model.json with any one value of its params replaced is an error,
// or its map writes probabilities. It never panics.
func hostileParams(s *subject) error {
	f, err := s.fit(s.cal.Rows(0, 40), s.test) // a short model: it is parsed hundreds of times
	if err != nil {
		return err
	}
	text, err := s.saved(f)
	if err != nil {
		return err
	}
	set := rowsOf(adversarial(5), []int{0, 3, 20, 60, 100, 150})
	var doc map[string]any
	if err := json.Unmarshal(text, &doc); err != nil {
		return err
	}
	try := func(path string) error {
		text, err := json.Marshal(doc)
		if err != nil {
			return err
		}
		m, err := calib.LoadModel(bytes.NewReader(text), []calib.Entry{s.entry})
		if err != nil && strings.Contains(err.Error(), "\n") {
			return fmt.Errorf("%s: an error of several lines: %w", path, err)
		}
		if err != nil {
			return nil
		}
		q, err := s.applyGuarded(&m.Fitted, set)
		if err == nil {
			err = valid(q)
		}
		if err != nil {
			return fmt.Errorf("%s: a loaded model: %w", path, err)
		}
		return nil
	}
	return mutate("params", doc["params"], func(v any) { doc["params"] = v }, try)
}

// applyGuarded turns a panic of Apply into an error.
func (s *subject) applyGuarded(f *calib.Fitted, set *data.Set) (q data.Probs, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic in Apply: %v", r)
		}
	}()
	return s.apply(f, set), nil
}

// mutate calls try with each value in v replaced in turn; set replaces v. In a list it
// replaces the elements at both ends, since all elements are alike.
func mutate(path string, v any, set func(any), try func(path string) error) error {
	defer set(v)
	replacements := []any{nil, "x", true, -1.0, 0.0, 0.5, 2.0, 1e-320, 1e308, -1e308, []any{}, map[string]any{}}
	if list, ok := v.([]any); ok && len(list) > 0 {
		backwards := make([]any, len(list))
		for i := range list {
			backwards[len(list)-1-i] = list[i]
		}
		replacements = append(replacements, list[:len(list)-1], append(list[:len(list):len(list)], list[0]), backwards)
	}
	for _, r := range replacements {
		set(r)
		if err := try(fmt.Sprintf("%s = %.40q", path, fmt.Sprint(r))); err != nil {
			return err
		}
	}
	set(v)
	switch v := v.(type) {
	case map[string]any:
		for key := range v {
			err := mutate(path+"."+key, v[key], func(x any) { v[key] = x }, try)
			if err != nil {
				return err
			}
		}
	case []any:
		for i := range v {
			if i >= 2 && i < len(v)-1 {
				continue
			}
			err := mutate(fmt.Sprintf("%s[%d]", path, i), v[i], func(x any) { v[i] = x }, try)
			if err != nil {
				return err
			}
		}
	}
	return nil
}
