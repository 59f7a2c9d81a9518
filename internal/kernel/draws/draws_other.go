//go:build !amd64 || purego

package draws

const vector = false

func sumsAVX2(*[Lanes]int64, *Times, *uint16, *int64, int) {}
