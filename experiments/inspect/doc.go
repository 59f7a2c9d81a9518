// Package inspect looks at arrays before a run: it reads them completely and says what is
// wrong with them, finds the sets of a folder and writes a spec for them.
package inspect
