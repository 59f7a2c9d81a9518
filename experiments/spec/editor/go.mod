module github.com/qats-bench/qats/experiments/spec/editor

go 1.26
