package npy

// What tests of arrays that are opened by package formats ask for.
const (
	ChunkBytes = chunkBytes
	MaxHeader  = maxHeader
)

var NativeBig = nativeBig
