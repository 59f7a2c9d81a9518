//go:build !amd64 || purego

package half

func decodeVector([]float32, []byte) int { return 0 }
