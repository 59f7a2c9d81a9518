package npy

// Named is an array of a file with several.
type Named struct {
	Name  string
	DType DType // empty for an array of no numbers, such as texts
	Shape []int
}
