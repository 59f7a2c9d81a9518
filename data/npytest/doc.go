// Package npytest makes files of arrays byte by byte, from the documents of their formats, for
// tests of the packages that read them.
package npytest
