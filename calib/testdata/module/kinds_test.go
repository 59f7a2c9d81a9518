package main

import (
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/calibtest"
)

func TestMethodsOfAnotherModule(t *testing.T) {
	for _, e := range []calib.Entry{entropyLineEntry, shrunkEntry, accuracyEntry, halvesEntry} {
		t.Run(e.Name, func(t *testing.T) { calibtest.Run(t, e, calibtest.Claims{}) })
	}
}
