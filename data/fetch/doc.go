// Package fetch downloads published files, and checks that they are the right ones.
//
// Sources lists what is known of each source: addresses, licence, and the sizes and digests
// that the source itself publishes. If a source publishes no digest, that of the first
// download is written to fetched.tsv beside the files, and every later download must have
// it.
//
// # A download
//
// The bytes go to NAME.part, which stays when a connection breaks, so that the next
// attempt, or the next call, asks only for the rest (the header Range, with If-Range
// where the server named a version of the file). A server that sends all again, or
// another version, begins the file anew. Only a file with the right length and
// digest gets its name; one with another digest is removed. A file that is already
// there is not fetched again if its digest is right.
//
// Broken connections and busy servers (408, 429, 5xx) are tried again; other errors are
// not. A server that sends nothing for a minute counts as a broken connection. A redirect
// from https to http is rejected.
package fetch
