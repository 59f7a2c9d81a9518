// Command rules decides by simulation how qats try chooses a calibrator. It draws calibration rows of
// networks and of models of scikit-learn, makes the fits of a trial, keeps the NLL and the Brier score of each
// row, and judges candidates of the rule on the same draws. docs/evidence.md has what it decided.
//
//	python advice/models.py MODELS --raw DIR                                # models of scikit-learn
//	go run ./advice/rules -more CIFAR100 -models MODELS -rows FILE          # the fits; -minutes ends it early
//	go run ./advice/rules -tables ../results/shown FILE                     # the tables
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
//     is platt-logits where the mean probability of a class is not its share (P <= .05 at the temperature of ts), and else z;
//     "M+z", which is uncal where z says so and the shares of the model are right, and else M
//   - the threshold c
//   - the score that compares: the NLL; the Brier score; or the NLL of (1 - e)p + e/k with e = 1/(n + 2)
//   - the test: Holm's correction; or the largest of the studentised differences of all candidates, by a multiplier bootstrap
//   - the methods (see lists)
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
	flag.Parse()
	if *tables != "" {
		s := &study{at: map[place]map[string]*sums{}, families: map[family]*sums{}, added: map[string]*adding{}}
		for _, file := range flag.Args() {
			if err := s.read(file); err != nil {
				log.Fatal(err)
			}
		}
		log.Printf("%d draws, of which %d where the rule before is another than that of the program", s.draws, s.differ)
		if err := s.tables(*tables); err != nil {
			log.Fatal(err)
		}
		return
	}
	if err := run(context.Background(), *networks, *more, *made, *file, *draws, *workers, time.Duration(*minutes*float64(time.Minute))); err != nil {
		log.Fatal(err)
	}
}

// run makes the draws and writes their rows.
func run(ctx context.Context, networks, more, made, file string, draws, workers int, most time.Duration) error {
	pools, err := readPools(networks, more, made)
	if err != nil {
		return err
	}
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
	all := jobs(pools, draws)
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
