// Package look finds arrays. The arguments of a trial name those of one network ([Find]): files, an archive, a table or a
// folder. A folder of many networks becomes a spec ([NewStarter]). Neither reads a number of them: package inspect does, and
// says what is wrong.
package look
