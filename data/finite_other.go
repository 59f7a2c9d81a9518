//go:build !amd64 || purego

package data

func wideBytes([]byte) int { return 0 }

func special32(*byte, int) bool { return false }
func special16(*byte, int) bool { return false }
