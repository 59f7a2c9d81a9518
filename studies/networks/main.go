// Command networks solves for the constants of simulated networks: the mean signal, the excess of the
// row scale and, of corrupted images, the loss of signal and the factor, with which the model has
// the accuracy and the ECE that a network states (go doc github.com/qats-bench/qats/data/simulate).
// The program qats reads them from data/simulate/constants.jsonl.
//
//	go run ./networks                  solves for those of data/simulate/constants.jsonl that have none
//	go run ./networks -again FILE...   solves for all of some files
//
// The file has one network in JSON a line. To add a network, add its line without constants: where
// qats needs one, its message has the line. Raise simulate.Version if the constants of a network change,
// since they are not in the keys of stored results.
//
// A search brackets from a guess by growing steps and applies regula falsi with the rule of Illinois,
// first on one row in 16 of the probe and then on all. It takes some seconds for 1,000 classes.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/qats-bench/qats/data/simulate"
)

func main() {
	again := flag.Bool("again", false, "solve for those that have constants, too")
	flag.Parse()
	files := flag.Args()
	if len(files) == 0 {
		files = []string{filepath.Join("..", filepath.FromSlash(simulate.ConstantsFile))}
	}
	for _, file := range files {
		if err := update(file, *again); err != nil {
			fmt.Fprintf(os.Stderr, "networks: %s: %v\n", file, err)
			os.Exit(1)
		}
	}
}

// update solves for the constants that a file lacks, or for all of them.
func update(file string, again bool) error {
	b, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	list, err := simulate.ReadSolved(bytes.NewReader(b))
	if err != nil {
		return err
	}
	if err := solveAll(list, again); err != nil {
		return err
	}
	var out bytes.Buffer
	if err := simulate.WriteSolved(&out, list); err != nil {
		return err
	}
	return os.WriteFile(file, out.Bytes(), 0o666)
}

// solveAll sets the constants of networks that have none, or of all.
func solveAll(list []simulate.Solved, again bool) error {
	found := map[string]simulate.Constants{} // of clean networks, which their corruptions share
	var clean func(w simulate.Network) (simulate.Constants, error)
	clean = func(w simulate.Network) (simulate.Constants, error) {
		key := fmt.Sprint(w)
		if c, ok := found[key]; ok {
			return c, nil
		}
		c, err := solve(w, clean)
		found[key] = c
		return c, err
	}
	for i, s := range list {
		if s.Constants != (simulate.Constants{}) && !again {
			continue
		}
		err := s.Check()
		if err == nil && s.Shift == (simulate.Shift{}) {
			list[i].Constants, err = clean(s.Network)
		} else if err == nil {
			list[i].Constants, err = solve(s.Network, clean)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
