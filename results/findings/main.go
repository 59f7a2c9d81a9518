package main

import (
	"flag"
	"log"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("findings: ")
	from := flag.String("from", "", "folder of output folders, from which facts.csv is written before the pages")
	top := flag.String("C", ".", "root of the project")
	flag.Parse()
	if flag.NArg() > 0 {
		log.Fatalf("unexpected argument %q", flag.Arg(0))
	}
	if err := run(*top, *from); err != nil {
		log.Fatal(err)
	}
}

func run(top, from string) error {
	if from != "" {
		if err := collect(factsPath(top), from); err != nil {
			return err
		}
	}
	return writePages(top)
}
