package splitmix

import "testing"

// The first words with seeds 0 and 1234567, as published with the algorithm and with the reference
// code of Vigna.
func TestWordsAreThoseOfTheReferenceCode(t *testing.T) {
	for seed, want := range map[uint64][]uint64{
		0:       {0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4},
		1234567: {6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431},
	} {
		for i, word := range want {
			if got := Mix(seed + uint64(i+1)*Golden); got != word {
				t.Errorf("seed %d, word %d: %x, want %x", seed, i+1, got, word)
			}
		}
	}
}
