// Package browser tests the page of an output folder in Chromium: that it draws,
// filters, sorts and opens settings, that it asks the network for nothing, and that
// axe-core finds no fault in it. Without Chromium the tests are skipped.
package browser
