// Package qats holds the files of the project that every copy of the program
// carries: the specs in experiments, the declaration of virtual networks, and the
// outputs of two small networks for qats try @demo. They have the paths that they have
// in the project. The rest of data/bundle (50 MB) is read from a folder: package
// experiments says where it is looked for.
package qats

import "embed"

// Files are the embedded files, less than 2 MB.
//
//go:embed experiments/*.yaml experiments/paper/*.yaml experiments/protocol/*/*.yaml data/simulate/networks.yaml
//go:embed data/bundle/manifest.yaml
//go:embed data/bundle/20newsgroups-body/transformer-d64-l2 data/bundle/20newsgroups-body/mlp-tfidf-h128
var Files embed.FS
