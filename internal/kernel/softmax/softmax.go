// Package softmax is the row kernel: one pass over rows of float32 logits gives, in
// float64, the sums of a row that temperature methods and metrics need.
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
// The functions are few and work on blocks of rows, so that they can have vector
// code. Rows hold finite values, since package data rejects others.
//
// # Several implementations, one result
//
// Rows, Scores, Tails and Probs exist in portable Go and in AVX2 code, and Rows in
// AVX-512 code as well; the processor decides at start which one runs, and the build
// tag purego leaves only the first. All return the same bits, so that results do not
// depend on the machine, and a set of kernels needs one test of equality instead of
// tolerances everywhere. For that
//
//   - arithmetic is float64, and every operation is one that IEEE 754 rounds: an
//     addition, subtraction, multiplication, division or, where the code says
//     math.FMA and nowhere else, a multiplication and addition rounded once;
//   - the exponential is one sequence of such operations (power.go);
//   - sums run over fixed lanes and are folded in a fixed way (sums.go): in rows
//     of 64 classes or more by class mod 8, in shorter ones in order;
//   - the largest logit takes no part in sums. Its classes are counted: the tail
//     of a row with three of them is exactly 2 plus the sum of the others.
//
// The portable functions are the specification. The vector code is written by the
// program in internal/kernel/gen/softmax (`make generate`). It processes rows of
// few classes eight at a time, and other rows one by one while it fetches the next
// row; loops do not branch on the data. A pass over 1,000 classes takes 0.8 times as
// long as C with the same instructions, with fused operations and without a fixed order,
// in AVX-512, and 0.7 times in AVX2. In AVX2, which gathers the table from memory, it
// takes 1.8 times as long as in AVX-512.
//
// AVX-512 code is kept only where it brings the most: for Rows of 64 classes or more,
// the pass of temperature scaling and of QaTS. On 25,000 rows of 1,000 classes, the
// whole process of fit ts takes 1.15 times as long with this function in AVX2, and that
// of fit qats 1.28 times. With Scores in AVX2 the two take 1.16 and 1.10 times as long,
// and with Tails 1.00 and 1.09; with any other function, the products of package linear
// and rows of few classes among them, a command takes at most 1.09 times as long.
//
// Exp, Log and Log1p are for single numbers. They too have the same bits on all
// processors, but not those of the exponential of rows. Exps and Logs are Exp and
// Log of many numbers, also in AVX2 code. Mixtures and Quintics serve group
// calibration, which evaluates each row two thousand times; they have AVX2 code, too.
package softmax

// Version is raised whenever a function of the kernel returns other bits; it
// belongs in the key of every result that is computed with it.
const Version = 4
