// Package keyed reads YAML files into structs, and knows where each value stands.
//
// A key is declared once, by a field of a struct: its tags state its name, its rules and what documents say of it.
// The decoder of package yaml loses columns and accepts unknown keys silently, so the structs are filled in here
// from the nodes of the document. What one key cannot tell is checked by whoever reads the file, who records
// mistakes at the fields of the structs. Every mistake is reported as file:line:column.
package keyed
