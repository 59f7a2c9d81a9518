package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
)

// segmentation is the run whose classes are shown, and its folder.
const segmentation = "segmentation"

// classesPath returns the path of the classes of that run.
func classesPath(top string) string {
	return filepath.Join(top, "results", "shown", results.ClassesFile)
}

// takeClasses copies the classes of the run, if it has a folder in from.
func takeClasses(from, to string) (bool, error) {
	list, err := results.ReadClasses(results.Folder(filepath.Join(from, segmentation)).Path(results.ClassesFile))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, results.WriteClasses(filepath.Join(to, results.ClassesFile), list)
}

// class returns the row of a class under a method.
func (w *words) class(method, name string) (results.Class, error) {
	list, err := results.ReadClasses(classesPath(w.top))
	if err != nil {
		return results.Class{}, err
	}
	return w.classIn(list, method, name)
}

// classIn is class among rows that were read.
func (w *words) classIn(list []results.Class, method, name string) (results.Class, error) {
	for _, c := range list {
		if c.Method == method && c.Name == name {
			return c, nil
		}
	}
	return results.Class{}, fmt.Errorf("%s has no class %s of %s", classesPath(w.top), name, method)
}

// inPercent prints a column of a class in per cent.
func (w *words) inPercent(method, name string, of func(results.Class) float64) (string, error) {
	c, err := w.class(method, name)
	return percent(of(c)), err
}

// classTable has a row for each class and a column for the error under each method,
// "METHOD=Label". The last row is the mean over the classes.
func (w *words) classTable(columns string) (string, error) {
	all, err := results.ReadClasses(classesPath(w.top))
	if err != nil {
		return "", err
	}
	head, methods := []string{"class", "rows", "share, %"}, strings.Split(columns, ",")
	for i, m := range methods {
		id, label := named(m)
		methods[i], head = id, append(head, label)
	}
	table, mean := [][]string{head}, []string{"mean", "", ""}
	numbers, of := lists.Group(all, func(c results.Class) int { return c.Class })
	sums := make([]float64, len(methods))
	for _, j := range numbers {
		first := of[j][0]
		row := []string{first.Label(), strconv.Itoa(first.N), percent(first.Freq)}
		for i, m := range methods {
			c, err := w.classIn(of[j], m, first.Name)
			if err != nil {
				return "", err
			}
			sums[i] += c.ECE / float64(len(numbers))
			row = append(row, percent(c.ECE))
		}
		table = append(table, row)
	}
	for _, s := range sums {
		mean = append(mean, percent(s))
	}
	return markdown(append(table, mean)), nil
}
