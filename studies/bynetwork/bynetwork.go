// Package bynetwork is the frame of studies whose output has a row for each network.
package bynetwork

import (
	"encoding/csv"
	"fmt"
	"io"
	"log"
	"os"
)

// Main is the main function of the study: its arguments are folders of networks, and it prints their rows.
func Main(study string, head []string, row func(network string) ([]string, error)) {
	log.SetFlags(0)
	log.SetPrefix(study + ": ")
	if len(os.Args) < 2 {
		log.Fatalf("usage: %s NETWORK...", study)
	}
	if err := Write(os.Stdout, os.Args[1:], head, row); err != nil {
		log.Fatal(err)
	}
}

// Write writes the head and the rows of all networks as CSV.
func Write(to io.Writer, networks, head []string, row func(network string) ([]string, error)) error {
	w := csv.NewWriter(to)
	w.Write(head)
	for _, network := range networks {
		cells, err := row(network)
		if err != nil {
			return fmt.Errorf("%s: %w", network, err)
		}
		w.Write(cells)
	}
	w.Flush()
	return w.Error()
}
