// The measured arrays of qats, a module of its own: whoever imports a package of qats does not load them. It has no
// package. The program looks for it in the module cache (experiments/sources.go).
module github.com/qats-bench/qats/data/bundle

go 1.26
