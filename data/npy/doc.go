// Package npy reads and writes arrays of numbers as numpy stores them: the .npy and the .npz.
// It knows no set that an array is a part of. Package formats opens files by their names.
//
// Array reads float16, 32 and 64, bfloat16 of .safetensors, integers of 8 to 64 bits and
// booleans, in both byte orders and both element orders (C and Fortran), in the formats 1.0,
// 2.0 and 3.0 of .npy. A file is rejected unless its header is exactly what numpy.save writes and its
// length exactly what shape and type need; only then is the header given to the
// npyio library, and only then is memory allocated. Archive members are unpacked
// into memory, with a bound on their size and their CRC checked, so large arrays
// are better kept as .npy or .safetensors, which are read in place.
//
// Every value is checked when it is read. NaN, infinities and numbers that the wanted type
// cannot hold are errors that name file, row and column. A file that is changed or truncated
// while it is read is an error too. A caller may read -Inf as another number (MaskedFloats).
//
// Writer and the Write functions write the same bytes as numpy, to a temporary
// file that is then renamed. WriteNPZ and ReadNPZ hold columns of numbers in
// memory.
//
// Rows that a set leaves out are left out as they are read (Array.Keep): their values are
// not checked, and errors name the row of the file. Every other way to read, by rows, by
// blocks or as float64, goes through the same two loops, one for each order of the elements.
package npy
