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
	src, err := folder.Open("../bundle", folder.Layout{}, nil)
	if err != nil {
		log.Fatal(err)
	}
	fog := data.Ref{Dataset: "cifar10-jpeg-c", Backbone: "vit-p4-d96-l4", Corruption: "fog", Severity: 3, Split: data.Test}
	fmt.Println(fog, "has", src.Has(fog))
	fmt.Println(src.Describe(fog).Origin)
	set, err := data.Load(context.Background(), src, fog, data.Logits|data.Features|data.Head)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("logits %d x %d, features %d x %d\n", set.Logits.Rows, set.Logits.Cols, set.Features.Rows, set.Features.Cols)
	// Output:
	// cifar10-jpeg-c/vit-p4-d96-l4/fog/3 has logits+labels+features+head
	// measured
	// logits 2000 x 10, features 2000 x 96
}
