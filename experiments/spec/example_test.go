package spec_test

import (
	"fmt"

	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/experiments/spec"
)

// A spec is lists and grids; every mistake has its place.
func ExampleParse() {
	s, err := spec.Parse("mine.yaml", []byte(`
name: mine
methods: [uncal, ts, {name: qats-pw2, method: qats-pw, options: {segments: 2}}]
settings:
  - {dataset: [cifar10, cifar100], backbone: resnet50}
`), experiments.Registry())
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range s.Settings {
		fmt.Println(&s.Settings[i])
	}
	fmt.Print(s.Methods[2].Name, " has ", s.Methods[2].Options)
	fmt.Println("tables:", s.Tables[0].Name, "and", s.Tables[1].Name)

	_, err = spec.Parse("mine.yaml", []byte("name: mine\nmethods: [ts, qat]\nsettings: {dataset: d}\n"), experiments.Registry())
	fmt.Println(err)
	// Output:
	// cifar10/resnet50
	// cifar100/resnet50
	// qats-pw2 has segments: 2
	// tables: mine-ece and mine-aece
	// mine.yaml:2:15: unknown method "qat" (did you mean qats?)
	// mine.yaml:3:11: a setting needs dataset and backbone
}
