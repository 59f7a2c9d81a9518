//go:build !amd64 || purego

package linear

// There is no vector code: what follows is never called.
const vector = false

func lineAVX2(dst, a, s, c, most *float64, n int) {}

func gapsAVX2(dst *float32, z, largest *float64, n int) {}

func tileAVX2(dst, x0, x1, x2, x3, panel *float64, d int) {}
