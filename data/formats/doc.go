// Package formats opens arrays of numbers in files of several forms. A Form knows the names of its files, their first
// bytes, the arrays in them and how one is opened. Each has a file of this package: .npy, .npz, .safetensors, and tables,
// of which a file system makes arrays before they are opened. The list of all forms is data.Forms, since tables are read
// by the words of package data. So a new form is one file, and one line of that list.
//
// A name is that of a file, or FILE#MEMBER for an array of a file with several. A List finds the form of a name, and a
// Location opens the array. A file whose first bytes are those of another form than its name says is an error, which says
// what it is and what to do.
//
// Arrays of .npy and .safetensors are read in place. A member of an .npz is unpacked into memory, with a bound on its size
// and its CRC checked.
package formats
