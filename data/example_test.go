package data_test

import (
	"fmt"
	"log"

	"github.com/qats-bench/qats/data"
)

// The calibration set of one network, from two files.
func ExampleReadSet() {
	cal, err := data.ReadSet(
		"demo/20newsgroups-body/mlp-tfidf-h128/cal/logits.npy",
		"demo/20newsgroups-body/mlp-tfidf-h128/cal/labels.npy")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d rows of %d classes\n", cal.Logits.Rows, cal.Logits.Cols)
	fmt.Printf("row 0: class %d, logits of classes 12 to 14 %.1f\n", cal.Labels[0], cal.Logits.Row(0)[12:15])
	// Output:
	// 1700 rows of 20 classes
	// row 0: class 14, logits of classes 12 to 14 [0.1 -2.9 10.6]
}

// The labels have another number of rows than the logits.
func ExampleReadSet_error() {
	_, err := data.ReadSet(
		"demo/20newsgroups-body/mlp-tfidf-h128/test/logits.npy",
		"demo/20newsgroups-body/mlp-tfidf-h128/cal/labels.npy")
	fmt.Println(err)
	// Output:
	// demo/20newsgroups-body/mlp-tfidf-h128/test/logits.npy has 7532 rows but demo/20newsgroups-body/mlp-tfidf-h128/cal/labels.npy has 1700
}
