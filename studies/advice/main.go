// Command advice measures what the advice of qats try does to those who follow it: it draws
// calibration rows of real and of made networks, asks for a method, and compares the answer with
// temperature scaling and with no calibration on test rows that had no part in it. Beside the
// rule of package trial stand two others: the lowest cross-fitted NLL, and the same rule with no
// calibration in the place of temperature scaling where no gain by that is shown. It writes
// results/shown/advice.csv, which docs/evidence.md is made from. The same seed gives the same
// numbers, whatever the number of processors.
//
//	cd studies && go run ./advice -cifar100 DIR -draws 4 > ../results/shown/advice.csv
//
// # Draws
//
// Each draw of a real network, of data/bundle and of the folder -cifar100, takes n rows at
// random from its calibration set and up to 5,000 rows from its test set. Where the calibration
// set has fewer than 2n rows, both are drawn from the union of the two sets. Draws of one network
// share rows, so they are no independent trials: an interval of a share counts them as if they
// were.
//
// Made networks have normal logits of standard deviation 3, and labels drawn from the softmax of
// logits / T: "one-temperature" with T of 0.7, 1 and 2 and 3 or 100 classes; "almost-separable"
// with T of 0.15 and 3 classes; "separable", whose labels are the predictions;
// "missing-classes", T of 1.5 and 10 classes, of which the calibration rows lack three; and
// "shuffled", whose labels have nothing to do with the logits.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
)

func main() {
	bundle := flag.String("bundle", "../data/bundle", "folder of real networks")
	cifar100 := flag.String("cifar100", "", "folder of more real networks, with 100 classes")
	per := flag.Int("draws", 0, "draws of each network and size; 0 for the number of the study")
	only := flag.Int("n", 0, "one size alone")
	flag.Parse()
	if err := run(context.Background(), os.Stdout, *bundle, *cifar100, *per, *only); err != nil {
		log.Fatal(err)
	}
}

// sizes are the numbers of calibration rows.
var sizes = []int{50, 100, 200, 500, 1000, 2000, 5000}

// run writes the table.
func run(ctx context.Context, w io.Writer, bundle, more string, per, only int) error {
	pools, err := readPools(bundle, more)
	if err != nil {
		return err
	}
	fmt.Fprintln(w, header)
	for _, n := range sizes {
		if only != 0 && n != only {
			continue
		}
		draws, err := drawAll(ctx, pools, n, per)
		if err != nil {
			return err
		}
		for _, s := range summarise(n, draws) {
			fmt.Fprintln(w, s)
		}
	}
	return nil
}
