// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build linux && (amd64 || arm64) && !race && !msan && !asan

// Which blocks are samples: those that contain the points of a Poisson process
// along the bytes that a thread allocates. The distance of two points has an
// exponential distribution with the mean runtime.MemProfileRate. So a block is
// a sample with the probability 1-exp(-size/rate), and stands for the inverse
// of that number of blocks.

#include <string.h>
#include <sys/auxv.h>
#include "mallocprofile.h"

#define TLS __thread __attribute__((tls_model("initial-exec")))

extern HIDDEN TLS uint64_t mallocprofileUntil;
static TLS uint64_t random64;
static uint64_t threads; // that have a random64, atomic
static TLS int pointAtEnd; // whether there is a point after mallocprofileUntil bytes

// The longest distance to the next look at the rate. A distance that is longer
// is cut there, and the rest is drawn again, because an exponential
// distribution has no memory. So that all blocks with a mapping of their own are
// seen, it is less than what the smallest of them counts.
#define LONGEST ((128 << 10) - 16)

// The largest rate, of which multiples are numbers of 64 bits.
#define MOST ((intptr_t)1 << 40)

// environmentRate returns the rate that GODEBUG=memprofilerate=N sets, for the
// blocks that are allocated before Go runs.
static intptr_t environmentRate(void) {
	extern char **environ;
	static const char godebug[] = "GODEBUG=", setting[] = "memprofilerate=";
	intptr_t rate = 512 << 10;
	for (char **e = environ; e != NULL && *e != NULL; e++) {
		if (strncmp(*e, godebug, sizeof godebug - 1) != 0)
			continue;
		for (const char *s = *e + sizeof godebug - 1; s != NULL && *s; s = strchr(s, ','), s = s ? s + 1 : NULL) {
			if (strncmp(s, setting, sizeof setting - 1) == 0) {
				rate = 0;
				for (s += sizeof setting - 1; *s >= '0' && *s <= '9' && rate < MOST; s++)
					rate = rate * 10 + (*s - '0');
			}
		}
	}
	return rate;
}

intptr_t mallocprofileRate(void) {
	intptr_t rate = __atomic_load_n(&mallocprofileStarted, __ATOMIC_RELAXED) ? __atomic_load_n(mallocprofileGo.rate, __ATOMIC_RELAXED) : environmentRate();
	return rate < MOST ? rate : MOST;
}

// draw returns a number with an exponential distribution.
static int64_t draw(intptr_t rate) {
	if (random64 == 0) {
		const uint64_t *seed = (const uint64_t *)getauxval(AT_RANDOM); // of the process
		random64 = (seed[0] ^ __atomic_add_fetch(&threads, 1, __ATOMIC_RELAXED) * 0x9E3779B97F4A7C15ull) | 1;
	}
	random64 ^= random64 << 13;
	random64 ^= random64 >> 7;
	random64 ^= random64 << 17;
	uint64_t r = (random64 * 0x2545F4914F6CDD1Dull >> 12) | 1; // of 52 bits
	// -ln(r/2^52): r = m*2^e with m in [1,2), and ln m = 2 artanh((m-1)/(m+1)).
	int e = 63 - __builtin_clzll(r);
	double m = (double)r / (double)(1ull << e), z = (m - 1) / (m + 1), z2 = z * z;
	double ln = 2 * z * (1 + z2 * (1. / 3 + z2 * (1. / 5 + z2 * (1. / 7 + z2 * (1. / 9 + z2 / 11)))));
	return (int64_t)(((52 - e) * 0.6931471805599453 - ln) * rate);
}

// setPoint puts the next point at a distance of d bytes.
static void setPoint(int64_t d) {
	pointAtEnd = d <= LONGEST;
	mallocprofileUntil = pointAtEnd ? d : LONGEST;
}

// chance returns 1-exp(-x).
static double chance(double x) {
	if (x > 40)
		return 1;
	int squarings = 0;
	for (; x > 1. / 16; x /= 2)
		squarings++;
	double c = x * (1 - x / 2 * (1 - x / 3 * (1 - x / 4 * (1 - x / 5 * (1 - x / 6)))));
	for (; squarings > 0; squarings--)
		c = c * (2 - c); // 1-(1-c)^2
	return c;
}

// mallocprofileChoose reports whether the block of size bytes, which was more
// than mallocprofileUntil, is a sample, and sets mallocprofileUntil for the next
// one.
int mallocprofileChoose(size_t size, struct weight *w) {
	intptr_t rate = mallocprofileRate();
	if (rate <= 1) {
		mallocprofileUntil = rate == 1 ? 0 : LONGEST;
		pointAtEnd = 0;
		w->scale = rate == 1;
		return rate == 1;
	}
	if (!pointAtEnd) {
		int64_t beyond = (int64_t)mallocprofileUntil + draw(rate); // the number was less than 0: the block's end
		if (beyond >= 0) {
			setPoint(beyond);
			return 0;
		}
	}
	w->scale = 1 / chance((double)size / rate);
	setPoint(draw(rate));
	return 1;
}
