package data_test

import (
	"context"
	"fmt"
	"log"

	"github.com/qats-bench/qats/data"
)

// A folder of the default layout, with a manifest.
func ExampleOpenFolder() {
	folder, err := data.OpenFolder("bundle", data.Layout{}, nil)
	if err != nil {
		log.Fatal(err)
	}
	fog := data.Ref{Dataset: "cifar10-jpeg-c", Backbone: "vit-p4-d96-l4", Corruption: "fog", Severity: 3, Split: data.Test}
	fmt.Println(fog, "has", folder.Has(fog))
	fmt.Println(folder.Describe(fog).Origin)
	set, err := data.Load(context.Background(), folder, fog, data.Logits|data.Features|data.Head)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("logits %d x %d, features %d x %d\n", set.Logits.Rows, set.Logits.Cols, set.Features.Rows, set.Features.Cols)
	// Output:
	// cifar10-jpeg-c/vit-p4-d96-l4/fog/3 has logits+labels+features+head
	// measured
	// logits 2000 x 10, features 2000 x 96
}
