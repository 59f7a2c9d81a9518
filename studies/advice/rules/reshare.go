package main

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/qats-bench/qats/data"
)

// sharesOf has the P of the shares test of a draw: of the network, and at the temperature of ts.
type sharesOf struct{ plain, ts float64 }

// sharesHeader has the columns of a file of -shares.
var sharesHeader = []string{"draw", "shares", "shares_ts"}

// reshare writes the P of the shares test of the draws of some files of rows. It draws their calibration rows
// again and takes the temperature of the record, so that a change of the test needs no new fit. The
// draws of a model stand together.
func reshare(w io.Writer, pools []pool, files []string) error {
	type drawn struct {
		job
		t  float64
		ts bool
	}
	of := map[[2]string][]drawn{}
	for _, file := range files {
		err := each(file, func(r *record) error {
			d := drawn{job{n: r.N, draw: r.Draw}, r.T, false}
			for i := range r.Methods {
				d.ts = d.ts || r.Methods[i].Name == "ts"
			}
			key := [2]string{r.Data, r.Model}
			of[key] = append(of[key], d)
			return nil
		})
		if err != nil {
			return err
		}
	}
	out := csv.NewWriter(w)
	if err := out.Write(sharesHeader); err != nil {
		return err
	}
	for i := range pools {
		p := &pools[i]
		key := [2]string{p.Data, p.Model}
		draws := of[key]
		if delete(of, key); len(draws) == 0 {
			continue
		}
		all, _, err := read(p.cal)
		if err != nil {
			return err
		}
		others, _, err := read(p.test)
		if err != nil {
			return err
		}
		for _, d := range draws {
			d.pool = p
			cal, _ := take(d.random(), all, others, d.n)
			if cal == nil {
				return fmt.Errorf("%s: %w", d.id(), errNone)
			}
			x, err := sharesPs(cal, d.t, d.ts)
			if err != nil {
				return fmt.Errorf("%s: %w", d.id(), err)
			}
			number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
			if err := out.Write([]string{d.id(), number(x.plain), number(x.ts)}); err != nil {
				return err
			}
		}
	}
	for key := range of {
		return fmt.Errorf("no model %s/%s in the folders: name those that the rows are of", key[0], key[1])
	}
	out.Flush()
	return out.Error()
}

// sharesPs returns the P of the shares test of calibration rows, at a temperature if there is one.
func sharesPs(cal *data.Set, t float64, ts bool) (x sharesOf, err error) {
	x.ts = 1
	if x.plain, err = sharesP(cal, 1); err == nil && ts {
		x.ts, err = sharesP(cal, t)
	}
	return x, err
}

// readShares reads what reshare wrote.
func readShares(name string) (map[string]sharesOf, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in := csv.NewReader(bufio.NewReader(f))
	in.FieldsPerRecord = len(sharesHeader)
	if _, err := in.Read(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	list := map[string]sharesOf{}
	for {
		row, err := in.Read()
		if err == io.EOF {
			return list, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		var p [2]float64
		for i := range p {
			if p[i], err = strconv.ParseFloat(row[1+i], 64); err != nil {
				line, _ := in.FieldPos(1 + i)
				return nil, fmt.Errorf("%s:%d: %w", name, line, err)
			}
		}
		list[row[0]] = sharesOf{p[0], p[1]}
	}
}
