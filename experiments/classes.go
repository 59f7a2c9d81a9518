package experiments

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/folder"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
)

// classRows returns the rows of classes.csv of a cell, without the classes of the background.
func classRows(u *Unit, c *Cell, list []metrics.ClassScore) (rows []results.Class) {
	names := u.classNames()
	for j, s := range list {
		row := results.Class{Setting: u.Setting.Setting, Method: c.Method.Name, Class: j, N: s.Rows, Freq: s.Freq, Conf: s.Conf, ECE: s.ECE, Source: string(u.Provenance.Origin)}
		if len(names) == len(list) {
			row.Name = names[j]
		}
		if !slices.Contains(u.Spec.Background, strconv.Itoa(j)) && (row.Name == "" || !slices.Contains(u.Spec.Background, row.Name)) {
			rows = append(rows, row)
		}
	}
	return rows
}

// classNames returns the names of the classes of the test set, if a manifest gives them.
func (u *Unit) classNames() []string { return folder.ClassNames(u.test, u.Setting.Test()) }

// checkClasses returns an error if a manifest names another number of classes than the logits of
// a setting have, whose spec asks for the scores of classes, or if no setting of the spec has a
// class of its background.
func (p *Plan) checkClasses(ctx context.Context) error {
	specs, units := lists.Group(p.all(), func(i int) *spec.Spec { return p.Units[i].Spec })
	for _, s := range specs {
		if !s.PerClass {
			continue
		}
		found, any := map[string]bool{}, false
		var named []string
		for _, i := range units[s] {
			u := &p.Units[i]
			if u.source == nil {
				continue
			}
			_, k, err := u.test.Shape(ctx, u.Setting.Test())
			if err != nil {
				continue // the cells that read it report the error
			}
			any = true
			names := u.classNames()
			if names != nil && len(names) != k {
				return fmt.Errorf("%s: %s names %d classes of %s, and its logits have %d: name every column of the logits", s.File, data.ManifestName, len(names), u.Setting.Name(), k)
			}
			named = append(named, names...)
			for _, class := range s.Background {
				if j, err := strconv.Atoi(class); slices.Contains(names, class) || err == nil && 0 <= j && j < k {
					found[class] = true
				}
			}
		}
		for _, class := range s.Background {
			if any && !found[class] {
				known := "no manifest names classes"
				if named = lists.Distinct(named, func(s string) string { return s }); len(named) > 0 {
					known = data.ManifestName + " names " + strings.Join(named, ", ")
				}
				return fmt.Errorf("%s: background %q: no setting has such a class; give a number below that of the classes, or a name (%s)", s.File, class, known)
			}
		}
	}
	return nil
}
