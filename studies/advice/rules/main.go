// Command rules decides by simulation how qats try chooses a calibrator. It draws calibration rows of
// networks and of models of scikit-learn, makes the fits of a trial, keeps the NLL and the Brier score of each
// row, and judges candidates of the rule on the same draws. docs/evidence.md has what it decided.
//
//	python advice/models.py MODELS --raw DIR                                # models of scikit-learn
//	go run ./advice/rules -more CIFAR100 -models MODELS -rows FILE          # the fits; -minutes ends it early
//	go run ./advice/rules -tables ../results/shown FILE                     # the tables
//
// -sizes and -classes make some of the draws alone. A file of rows has the P of the shares test. Where the test
// has changed since, -reshare writes those of today into a file of its own, from the same rows and temperatures, and -tables
// reads it by -shares:
//
//	go run ./advice/rules -more CIFAR100 -models MODELS -reshare SHARES FILE
//	go run ./advice/rules -tables ../results/shown -shares SHARES FILE
//
// # Draws
//
// Each draw takes n calibration rows of a model at random, from 50 to 5,000, and up to 5,000 test rows (see take). The
// order of the draws is such that an early end leaves some of every model and size. Draws of one set of
// data share rows, so intervals are of a bootstrap over sets of data.
//
// # Candidates
//
// A candidate begins with a method and takes another one only if that is shown to be better on the calibration rows,
// by cross-fitting. Candidates differ in five things:
//
//   - the method to begin with: a fixed one; "z", which is uncal where -c < ln T / se(ln T) < 0 and else ts; "shares", which
//     is platt-logits where the mean probability of a class is not its share (P < .05 at the temperature of ts), and else z;
//     "shares-svs", which is svs there;
//     "M+z", which is uncal where z says so and the shares of the model are right, and else M
//   - the threshold c
//   - the score that compares: the NLL; the Brier score; or the NLL of (1 - e)p + e/k with e = 1/(n + 2)
//   - the test: Holm's correction; or the largest of the studentised differences of all candidates, by a multiplier bootstrap
//   - the methods (see lists); "own" are those of qats try. A method that trial.Exclusion excludes is no candidate
//
// The rule before is ts/0/nll/holm/rec.
//
// # The decision
//
// The sets of data of each kind of model are dealt into two halves. The first one chooses the threshold of a
// candidate, and the second one judges: of the candidates whose mean NLL and Brier score are not above those of the rule before,
// the one that fails the fewest conditions (see failed) is best. What is "worse" is counted in two ways: the test NLL is
// higher at all, and it is higher by a paired test at 5 % on at least 2,000 test rows.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

func main() {
	networks := flag.String("bundle", "../data/bundle", "folder of networks")
	more := flag.String("more", "", "folder of more networks, of one set of data")
	made := flag.String("models", "", "folder of models of scikit-learn, of models.py")
	file := flag.String("rows", "", "file of the rows of all draws")
	draws := flag.Int("draws", 12, "draws of each model and size")
	workers := flag.Int("workers", 1, "draws at a time")
	minutes := flag.Float64("minutes", 1000, "time after which no draw begins")
	tables := flag.String("tables", "", "folder for the tables of the files of rows that are arguments; nothing is fitted")
	again := flag.String("reshare", "", "file for the P of the shares test of the files of rows that are arguments; nothing is fitted")
	shares := flag.String("shares", "", "file of -reshare, for -tables")
	only := flag.String("sizes", "", "comma-separated numbers of calibration rows; all if empty")
	classes := flag.String("classes", "", "two: models of two classes alone; several: the others; all if empty")
	flag.Parse()
	if *tables != "" {
		if err := tabulate(*tables, *shares, flag.Args()); err != nil {
			log.Fatal(err)
		}
		return
	}
	pools, err := readPools(*networks, *more, *made)
	if err != nil {
		log.Fatal(err)
	}
	if *again != "" {
		f, err := os.Create(*again)
		if err != nil {
			log.Fatal(err)
		}
		if err := errors.Join(reshare(f, pools, flag.Args()), f.Close()); err != nil {
			log.Fatal(err)
		}
		return
	}
	of, err := sizesOf(*only)
	if err != nil {
		log.Fatal(err)
	}
	if pools, err = ofClasses(pools, *classes); err != nil {
		log.Fatal(err)
	}
	if err := run(context.Background(), jobs(pools, of, *draws), *file, *workers, time.Duration(*minutes*float64(time.Minute))); err != nil {
		log.Fatal(err)
	}
}

// tabulate writes the tables of files of rows into a folder.
func tabulate(dir, shares string, files []string) (err error) {
	s := newStudy()
	if shares != "" {
		if s.shares, err = readShares(shares); err != nil {
			return err
		}
	}
	for _, file := range files {
		if err := s.read(file); err != nil {
			return err
		}
	}
	log.Printf("%d draws; in %d of them the program chose another method when the draw was made; %d more of two classes are without quadratic-ridge", s.draws, s.differ, s.skipped)
	return s.tables(dir)
}

// sizesOf returns the sizes of a list.
func sizesOf(list string) ([]int, error) {
	if list == "" {
		return sizes, nil
	}
	var of []int
	for _, text := range strings.Split(list, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || !slices.Contains(sizes, n) {
			return nil, fmt.Errorf("-sizes: %q is none of %v", text, sizes)
		}
		of = append(of, n)
	}
	return of, nil
}

// ofClasses returns the pools of two or of several classes, or all.
func ofClasses(pools []pool, classes string) ([]pool, error) {
	switch classes {
	case "":
		return pools, nil
	case two, several:
		return slices.DeleteFunc(pools, func(p pool) bool { return p.two != (classes == two) }), nil
	}
	return nil, fmt.Errorf("-classes: %q is neither %s nor %s", classes, two, several)
}

// run makes the draws that a file does not have and writes their rows.
func run(ctx context.Context, all []job, file string, workers int, most time.Duration) error {
	had := map[string]bool{}
	if err := each(file, func(r *record) error { had[r.id()] = true; return nil }); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<22)
	var mu sync.Mutex
	begin, done := time.Now(), 0
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(workers)
	for i, j := range all {
		if had[j.id()] {
			continue
		}
		if time.Since(begin) > most || ctx.Err() != nil {
			break
		}
		g.Go(func() error {
			r, err := j.fit(ctx)
			if errors.Is(err, errNone) {
				return nil
			}
			if err != nil {
				return fmt.Errorf("%s/%s, %d rows, draw %d: %w", j.Data, j.Model, j.n, j.draw, err)
			}
			mu.Lock()
			defer mu.Unlock()
			if done++; done%200 == 0 {
				log.Printf("%d of %d (place %d), %.0f s", done, len(all), i, time.Since(begin).Seconds())
			}
			if err := r.write(w); err != nil {
				return err
			}
			return w.Flush()
		})
	}
	if err := g.Wait(); err != nil {
		w.Flush()
		return err
	}
	return errors.Join(w.Flush(), f.Close())
}
