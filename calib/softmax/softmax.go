// Package softmax is the row kernel: one pass over rows of float32 logits that
// yields, in float64, all that temperature methods and metrics need of a row.
//
// For a row l of k logits and a scale s = 1/T let m = max l, let t be the
// lowest index with l_t = m, and e_j = exp(s (l_j - m)). Then
//
//	Tail = sum over j != t of e_j        (S0 - 1)
//	S1   = sum over j of (l_j - m) e_j
//	S2   = sum over j of (l_j - m)^2 e_j
//
// and everything else follows: conf = 1/(1+Tail), which the tail resolves even
// where conf rounds to 1; NLL of class y = log1p(Tail) - s (l_y - m); its
// derivatives in s are S1/S0 - (l_y - m) and S2/S0 - (S1/S0)^2.
//
// The functions here are few and work on blocks of rows, so that vector code
// can stand behind them. Rows hold finite values: the door of package data
// refuses others.
package softmax

// Version is raised whenever a function of the kernel yields other bits; it
// belongs in the key of what is computed with it.
const Version = 2
