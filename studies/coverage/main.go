// Command coverage measures by simulation how often the intervals of package metrics cover
// what they are named for. docs/evidence.md shows the results.
//
//	cd studies && go run ./coverage [-sets 1000] [-rows 500,2000,5000,25000] [-metric NAMES] [-odds 0] [-values] [-o FILE [-append]] NETWORK...
//
// A NETWORK is a folder with cal/logits.npy and test/logits.npy of a real network. Its rows
// are the population. Labels are drawn from the softmax of the logits at temperature 1.63,
// so the probabilities of all labels are known, and so are the errors of any calibrator. A
// test set is n rows drawn with replacement, with labels drawn for them. All pairs of
// calibrators are compared on the same test sets. The seed of a test set is made of the
// network's name, n and its number, so the table does not depend on the number of workers.
//
// Beside FILE.csv it writes the folder FILE with its summaries, which the page shows. With
// -summarise it makes these anew from FILE.csv, and nothing else.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("coverage: ")
	sets := flag.Int("sets", 1000, "test sets of each cell")
	rows := flag.String("rows", "500,2000,5000,25000", "sizes of test sets")
	out := flag.String("o", "../results/shown/intervals.csv", "CSV file of the results")
	odds := flag.Float64("odds", 0, "added to the log odds of class 1 of networks of two classes, for rare classes")
	values := flag.Bool("values", false, "study the intervals of values alone, not those of differences")
	metric := flag.String("metric", "", "study these metrics only")
	more := flag.Bool("append", false, "add to the CSV file")
	summarise := flag.Bool("summarise", false, "write the summaries of the CSV file; nothing is simulated")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, options{*sets, *rows, *metric, *out, *more, *summarise, *odds, *values}, flag.Args()); err != nil {
		log.Fatal(err)
	}
}

// options are the flags.
type options struct {
	sets              int
	rows, metric, out string
	more, summarise   bool
	odds              float64
	values            bool
}

func run(ctx context.Context, o options, networks []string) error {
	if o.summarise {
		table, err := readTable(o.out)
		if err != nil {
			return err
		}
		return writeSummaries(o.out, table)
	}
	var sizes []int
	for _, text := range strings.Split(o.rows, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 2 {
			return fmt.Errorf("-rows %s: want numbers from 2 on, separated by commas", o.rows)
		}
		sizes = append(sizes, n)
	}
	if len(networks) == 0 {
		return fmt.Errorf("name the folders of one or more networks, as ../data/bundle/cifar10-jpeg/resnet50-w64")
	}
	var only []string
	if o.metric != "" {
		only = strings.Split(o.metric, ",")
	}
	var table []line
	if o.more {
		var err error
		if table, err = readTable(o.out); err != nil {
			return err
		}
	}
	for _, dir := range networks {
		population, err := load(ctx, dir, o.odds)
		if err != nil {
			return err
		}
		population.name = filepath.Base(filepath.Dir(filepath.Clean(dir))) + "/" + filepath.Base(filepath.Clean(dir))
		if o.odds != 0 {
			population.name += fmt.Sprintf(", log odds %+g", o.odds)
		}
		for _, n := range sizes {
			log.Printf("%s, %d classes, %d rows", population.name, population.classes, n)
			lines, err := study(ctx, population, n, o.sets, only, o.values)
			if err != nil {
				return err
			}
			table = append(table, lines...)
			if err := writeTable(o.out, table); err != nil {
				return err
			}
		}
	}
	return writeSummaries(o.out, table)
}
