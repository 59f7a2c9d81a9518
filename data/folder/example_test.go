package folder_test

import (
	"context"
	"fmt"
	"log"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/folder"
)

// A folder of the default layout, with a manifest.
func ExampleOpen() {
	src, err := folder.Open("../demo", folder.Layout{}, nil)
	if err != nil {
		log.Fatal(err)
	}
	test := data.Ref{Dataset: "20newsgroups-body", Backbone: "transformer-d64-l2", Split: data.Test}
	fmt.Println(test, "has", src.Has(test))
	fmt.Println(src.Describe(test).Origin)
	set, err := data.Load(context.Background(), src, test, data.Logits|data.Labels)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("logits %d x %d, %d labels\n", set.Logits.Rows, set.Logits.Cols, len(set.Labels))
	// Output:
	// 20newsgroups-body/transformer-d64-l2/test has logits+labels
	// measured
	// logits 7532 x 20, 7532 labels
}
