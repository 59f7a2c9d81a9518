// Package qats holds the files of the project that every copy of the program
// carries: the specs in experiments, the declaration of virtual networks, what commands do, and the
// outputs of two small networks for qats try @demo. They have the paths that they have
// in the project. data/bundle (52 MB) is a module of its own, and package experiments
// says where it is looked for.
package qats

import "embed"

// Files are the embedded files, less than 2 MB.
//
//go:embed experiments/*.yaml experiments/paper/*.yaml experiments/protocol/*/*.yaml data/simulate/networks.yaml
//go:embed docs/commands.md
//go:embed data/demo
var Files embed.FS
