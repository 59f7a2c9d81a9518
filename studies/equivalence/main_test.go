package main

import (
	"bytes"
	"encoding/csv"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
)

// TestSymmetricDifferencesKeepTheLevels: of a symmetric distribution at most .05 of alike pairs are called
// different and of unlike ones alike, but for the error of 1,000 draws.
func TestSymmetricDifferencesKeepTheLevels(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute")
	}
	var out bytes.Buffer
	if err := write(&out, 1000); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&out).ReadAll()
	if err != nil || len(rows) < 200 {
		t.Fatal(len(rows), err)
	}
	for _, row := range rows[1:] {
		for i, column := range []string{"different", "alike"} {
			if share, err := strconv.ParseFloat(row[4+i], 64); row[1] != "skewed" && !(share <= .085) || err != nil {
				t.Errorf("%v: %s is %g %v", row, column, share, err)
			}
		}
	}
}

// TestCentresAreZero: half of the means of two draws are below the centre of each distribution.
func TestCentresAreZero(t *testing.T) {
	for _, d := range distributions() {
		r := rand.New(rand.NewPCG(1, 2))
		means := make([]float64, 200000)
		for i := range means {
			means[i] = (d.draw(r) + d.draw(r)) / 2
		}
		slices.Sort(means)
		if median := means[len(means)/2]; median < -.01 || median > .01 {
			t.Errorf("%s: centre %g", d.name, median)
		}
	}
}
