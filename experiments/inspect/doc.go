// Package inspect looks at arrays before a run: it reads them completely and says what is
// wrong with them.
package inspect
