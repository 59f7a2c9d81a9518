package fetch_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/qats-bench/qats/data/fetch"
)

// A file is fetched once, and its digest is remembered.
func ExampleClient_Fetch() {
	dir, err := os.MkdirTemp("", "fetch")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("logits"), 0o666); err != nil {
		panic(err)
	}
	src, err := fetch.Lookup("file://" + filepath.ToSlash(dir) + "/a.txt")
	if err != nil {
		panic(err)
	}
	for range 2 {
		list, err := new(fetch.Client).Fetch(context.Background(), src.Files, filepath.Join(dir, "downloads"))
		if err != nil {
			panic(err)
		}
		fmt.Println(list[0].Name, list[0].Bytes, "bytes, fetched now:", list[0].Fetched, list[0].SHA256[:8])
	}
	// Output:
	// a.txt 6 bytes, fetched now: true 22483452
	// a.txt 6 bytes, fetched now: false 22483452
}
