// Package editor tests how an editor sees the schema of specs: it asks
// yaml-language-server, the program behind the YAML support of most editors, for
// completion and diagnostics. make editor installs it by npm and runs the tests; they
// are skipped where it is absent. The tests are a module of their own, so that
// go test ./... of the project needs no node.
package editor
