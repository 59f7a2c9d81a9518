// Package audit checks the paper's printed tables for consistency. It recomputes
// marks, gaps and averages from the printed numbers, and looks for entries that
// are unlikely to be right together.
//
// It uses the printed numbers alone. They have two decimals, so it computes in
// whole hundredths of a per cent and equal means equal. A finding names two
// printed values that do not agree. It does not say which one is right, and it
// says nothing about a method.
//
// # The rules
//
// Best mark: the lowest ranked number of a row should be bold, each of them if several are
// equal, and no other. A bold number that is not the lowest is one kind of finding. Another
// kind is a lowest number that is not bold, in a row without a bold number. HFE is not
// ranked, since it sees the target domain.
//
// Second mark: each of the next lowest numbers should be underlined, and no other, with the
// same two kinds. It is checked only in tables that underline, and only in rows whose best
// mark is right, because a wrong best mark moves the second.
//
// Gap: the number beside QaTS should be QaTS minus the lowest other ranked number,
// with its sign.
//
// Average: the mean of n entries, each rounded to 0.01, is known to within 0.005,
// and the printed mean is rounded once more. So a distance above 0.01 is a
// finding. Every place where an average is printed is checked.
//
// Tables that disagree: one cell is printed with two values.
//
// One fit: let P and N be the parts of an ECE that come from overconfident and
// from underconfident bins, so that ECE = P + N. The difference g = P - N is the
// mean confidence minus the accuracy, which no binning changes. AECE, over bins of
// equal mass, is at least |g|. Hence min(P, N) = (ECE - |g|)/2 >= (ECE - AECE)/2:
// if both numbers are of one fit, bins of the rarer sign contribute at least this
// much to the ECE. The same holds with ECE and AECE exchanged. (Bins of equal mass
// have equal weights up to one row in n.) Above two points it is a finding. In the
// rows where it occurs, the uncalibrated ECE and AECE are nearly equal, as they
// are if every bin is overconfident; and a temperature that leaves most of that
// error leaves few bins of the other sign.
//
// Repeats, equal networks, two fits and captions compare tables with each other
// and with the words around them; [Groups] gives the rule of each.
package audit
