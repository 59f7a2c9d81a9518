// Studies of qats: what is measured once, by hand or every night, and shown in the
// documents. They are a module of their own, so that they use exported names only, and
// so that the tests of the tool do not wait for them.
module github.com/qats-bench/qats/studies

go 1.26.0

require (
	github.com/qats-bench/qats v0.0.0-00010101000000-000000000000
	golang.org/x/sync v0.24.0
)

require (
	github.com/nlpodyssey/gopickle v0.3.0 // indirect
	github.com/sbinet/npyio v0.9.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/text v0.42.0 // indirect
	golang.org/x/tools v0.51.0 // indirect
	gonum.org/v1/gonum v0.17.0 // indirect
	gopkg.in/yaml.v3 v3.0.1 // indirect
)

replace github.com/qats-bench/qats => ..
