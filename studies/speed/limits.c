// The limit of this processor: one pass over float32 logits that sums, for every
// row, e, d e and d^2 e with d = (logit - max) and e = exp(scale d), in float64,
// on one thread. Compile with
//
//	cc -O3 -march=native -ffp-contract=fast limits.c -o limits -lm
//
// usage: limits FILE.npy ROWS COLUMNS [avx512|avx2]   prints seconds, the least of
// 9: wall time or, with SPEED_CLOCK=cpu, processor time
//
// The .npy is C-order float32 with the usual header of 128 bytes. In AVX2 the columns
// after the last multiple of 4 are left out: take multiples of 4.
#include <immintrin.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double coefficient[12] = { // of 2^f on [-1/2, 1/2]: ln(2)^i / i!
	1, 0.69314718055994531, 0.24022650695910072, 0.055504108664821580, 0.0096181291076284772, 0.0013333558146428443,
	0.00015403530393381609, 1.5252733804059841e-5, 1.3215486790144309e-6, 1.0178086009239699e-7, 7.0549116208011233e-9,
	4.4455382718708114e-10};

static double now(void) {
	struct timespec t;
	const char *which = getenv("SPEED_CLOCK");
	clock_gettime(which && !strcmp(which, "cpu") ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
	return t.tv_sec + 1e-9 * t.tv_nsec;
}

static float largest(const float *row, int k) {
	float m = row[0];
	for (int j = 1; j < k; j++) m = row[j] > m ? row[j] : m;
	return m;
}

#ifdef __AVX512F__
static float largest512(const float *row, int k) {
	__m512 m = _mm512_set1_ps(-INFINITY), also = m;
	int j = 0;
	for (; j + 32 <= k; j += 32) {
		m = _mm512_max_ps(m, _mm512_loadu_ps(row + j));
		also = _mm512_max_ps(also, _mm512_loadu_ps(row + j + 16));
	}
	m = _mm512_max_ps(m, also);
	for (; j < k; j += 16) {
		__mmask16 in = k - j >= 16 ? 0xffff : (1u << (k - j)) - 1;
		m = _mm512_mask_max_ps(m, in, m, _mm512_maskz_loadu_ps(in, row + j));
	}
	return _mm512_reduce_max_ps(m);
}

static void row512(const float *row, int k, double scale, double sum[3]) {
	__m512d s0 = _mm512_setzero_pd(), s1 = s0, s2 = s0;
	__m512d max = _mm512_set1_pd(largest512(row, k)), by = _mm512_set1_pd(scale * 1.4426950408889634);
	for (int j = 0; j < k; j += 8) {
		if (!(j & 8)) _mm_prefetch((const char *)(row + k + j), _MM_HINT_T0);
		__mmask8 in = k - j >= 8 ? 0xff : (1u << (k - j)) - 1;
		__m512d t = _mm512_mul_pd(_mm512_sub_pd(_mm512_cvtps_pd(_mm256_maskz_loadu_ps(in, row + j)), max), by);
		__m512d n = _mm512_roundscale_pd(t, 8), f = _mm512_sub_pd(t, n), p = _mm512_set1_pd(coefficient[11]);
		for (int i = 10; i >= 0; i--) p = _mm512_fmadd_pd(p, f, _mm512_set1_pd(coefficient[i]));
		__m512d e = _mm512_maskz_scalef_pd(in, p, n), et = _mm512_mul_pd(e, t);
		s0 = _mm512_add_pd(s0, e);
		s1 = _mm512_add_pd(s1, et);
		s2 = _mm512_fmadd_pd(et, t, s2);
	}
	sum[0] = _mm512_reduce_add_pd(s0), sum[1] = _mm512_reduce_add_pd(s1), sum[2] = _mm512_reduce_add_pd(s2);
}
#endif

static double add(__m256d v) {
	double b[4];
	_mm256_storeu_pd(b, v);
	return b[0] + b[1] + b[2] + b[3];
}

static void row256(const float *row, int k, double scale, double sum[3]) {
	const __m256d magic = _mm256_set1_pd(6755399441055744.0);
	__m256d s0 = _mm256_setzero_pd(), s1 = s0, s2 = s0;
	__m256d max = _mm256_set1_pd(largest(row, k)), by = _mm256_set1_pd(scale * 1.4426950408889634);
	for (int j = 0; j + 4 <= k; j += 4) {
		if (!(j & 15)) _mm_prefetch((const char *)(row + k + j), _MM_HINT_T0);
		__m256d t = _mm256_mul_pd(_mm256_sub_pd(_mm256_cvtps_pd(_mm_loadu_ps(row + j)), max), by);
		t = _mm256_max_pd(t, _mm256_set1_pd(-1020));
		__m256d u = _mm256_add_pd(t, magic), f = _mm256_sub_pd(t, _mm256_sub_pd(u, magic)), p = _mm256_set1_pd(coefficient[11]);
		for (int i = 10; i >= 0; i--) p = _mm256_fmadd_pd(p, f, _mm256_set1_pd(coefficient[i]));
		__m256d e = _mm256_castsi256_pd(_mm256_add_epi64(_mm256_castpd_si256(p), _mm256_slli_epi64(_mm256_castpd_si256(u), 52)));
		__m256d et = _mm256_mul_pd(e, t);
		s0 = _mm256_add_pd(s0, e);
		s1 = _mm256_add_pd(s1, et);
		s2 = _mm256_fmadd_pd(et, t, s2);
	}
	sum[0] = add(s0), sum[1] = add(s1), sum[2] = add(s2);
}

int main(int argc, char **argv) {
	if (argc < 4) return fprintf(stderr, "usage: limits FILE.npy ROWS COLUMNS [avx512|avx2]\n"), 2;
	size_t n = atol(argv[2]), k = atol(argv[3]);
	void (*row)(const float *, int, double, double *) = row256;
#ifdef __AVX512F__
	if (argc < 5 || strcmp(argv[4], "avx2")) row = row512;
#endif
	float *logits = aligned_alloc(64, (4 * n * k + 8192) / 64 * 64);
	FILE *f = fopen(argv[1], "rb");
	if (!f || fseek(f, 128, SEEK_SET) || fread(logits, 4, n * k, f) != n * k) return perror(argv[1]), 1;
	double least = INFINITY, total = 0;
	for (int run = 0; run < 10; run++) {
		double begin = now(), sum[3];
		for (size_t i = 0; i < n; i++) {
			row(logits + i * k, k, .772, sum);
			total += sum[1] / sum[0] + sum[2];
		}
		double t = now() - begin;
		if (run > 0 && t < least) least = t;
	}
	printf("{\"seconds\": %.6g, \"isa\": \"%s\", \"check\": %.9g}\n", least, row == row256 ? "avx2" : "avx512", total);
	return 0;
}
