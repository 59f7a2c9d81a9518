package significance

import "math"

// BradleyTerry returns the strengths s of k methods in the model of Bradley and Terry
// (1952), in which method i beats method j with probability 1 / (1 + exp(s_j - s_i)).
// wins[i][j] is how often i beat j; a tie is half a win of both. The strengths are
// natural logarithms with mean 0, and maximise the likelihood by the steps of Hunter
// (2004).
//
// Every pair gets one more tie. Without it a method that wins always has no finite
// strength. The tie is an even prior that a few dozen comparisons outweigh, and the
// only departure from maximum likelihood. start, if not nil, is where the steps start.
func BradleyTerry(wins [][]float64, start []float64) []float64 {
	const tie, enough, most = .5, 1e-8, 10_000
	k := len(wins)
	p, won := make([]float64, k), make([]float64, k)
	for i := range p {
		p[i] = 1
		if start != nil {
			p[i] = math.Exp(start[i])
		}
		for j := range k {
			if j != i {
				won[i] += wins[i][j] + tie
			}
		}
	}
	for range most {
		change, mean := 0.0, 0.0
		for i := range p { // each step uses the new values of the ones before it
			sum := 0.0
			for j := range p {
				if j != i {
					sum += (wins[i][j] + wins[j][i] + 2*tie) / (p[i] + p[j])
				}
			}
			if sum == 0 { // a single method
				continue
			}
			next := won[i] / sum
			change = max(change, math.Abs(math.Log(next/p[i])))
			p[i] = next
			mean += math.Log(next) / float64(k)
		}
		for i := range p {
			p[i] /= math.Exp(mean)
		}
		if change < enough {
			break
		}
	}
	strengths := make([]float64, k)
	mean := 0.0
	for i := range p {
		strengths[i] = math.Log(p[i])
		mean += strengths[i] / float64(k)
	}
	for i := range strengths {
		strengths[i] -= mean
	}
	return strengths
}
