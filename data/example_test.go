package data_test

import (
	"fmt"
	"log"

	"github.com/qats-bench/qats/data"
)

// The calibration set of one network, from two files.
func ExampleReadSet() {
	cal, err := data.ReadSet(
		"bundle/cifar10-jpeg/vgg7-w32/cal/logits.npy",
		"bundle/cifar10-jpeg/vgg7-w32/cal/labels.npy")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d rows of %d classes\n", cal.Logits.Rows, cal.Logits.Cols)
	fmt.Printf("row 0: class %d, logits %.1f\n", cal.Labels[0], cal.Logits.Row(0))
	// Output:
	// 5000 rows of 10 classes
	// row 0: class 9, logits [4.3 4.4 -2.4 -3.1 -2.4 -3.0 -4.4 -1.0 -0.2 8.2]
}

// The labels have another number of rows than the logits.
func ExampleReadSet_error() {
	_, err := data.ReadSet(
		"bundle/pneumoniamnist-28/vgg7-w32/test/logits.npy",
		"bundle/cifar10-jpeg/vgg7-w32/test/labels.npy")
	fmt.Println(err)
	// Output:
	// bundle/pneumoniamnist-28/vgg7-w32/test/logits.npy has 624 rows but bundle/cifar10-jpeg/vgg7-w32/test/labels.npy has 10000
}
