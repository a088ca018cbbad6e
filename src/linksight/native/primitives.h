/* Operations that Python has no word for: arithmetic that wraps at 64 bits, bit counts, cache prefetches.

   primitives.py has the same functions for modules that run uncompiled. */
#ifndef LINKSIGHT_PRIMITIVES_H
#define LINKSIGHT_PRIMITIVES_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#endif

/* FNV-1a, one byte. */
static inline uint64_t fnv_step(uint64_t state, uint64_t byte) {
    return (state ^ byte) * 0x100000001B3ULL;
}

/* Multiplicative finaliser: the high bits select a bucket, the low bits are the fingerprint. */
static inline uint64_t fnv_mix(uint64_t state) {
    return (state ^ (state >> 32)) * 0x9E3779B97F4A7C15ULL;
}

static inline int count_bits(uint64_t value) {
#if defined(__GNUC__) || defined(__clang__)
    return __builtin_popcountll(value);
#else
    value = value - ((value >> 1) & 0x5555555555555555ULL);
    value = (value & 0x3333333333333333ULL) + ((value >> 2) & 0x3333333333333333ULL);
    value = (value + (value >> 4)) & 0x0F0F0F0F0F0F0F0FULL;
    return (int)((value * 0x0101010101010101ULL) >> 56);
#endif
}

/* Index of the lowest set bit; 64 if there is none. */
static inline int first_bit(uint64_t value) {
#if defined(__GNUC__) || defined(__clang__)
    return value ? __builtin_ctzll(value) : 64;
#else
    return value ? count_bits((value & (0 - value)) - 1) : 64;
#endif
}

/* Index of the highest set bit; -1 if there is none. */
static inline int last_bit(uint64_t value) {
#if defined(__GNUC__) || defined(__clang__)
    return value ? 63 - __builtin_clzll(value) : -1;
#else
    int found = -1;
    while (value) { value >>= 1; found++; }
    return found;
#endif
}

/* The lowest n bits set, for n from 0 to 64. */
static inline uint64_t low_bits(int64_t n) {
    return n >= 64 ? ~0ULL : (1ULL << n) - 1;
}

#if defined(__GNUC__) || defined(__clang__)
#define LINKSIGHT_PREFETCH(address) __builtin_prefetch((address), 0, 2)
#else
#define LINKSIGHT_PREFETCH(address) ((void)(address))
#endif

/* Starts to load what is read soon, into the second-level cache. */
static inline void prefetch(const void *address) { LINKSIGHT_PREFETCH(address); }

/* Writes a number that other threads read without a lock: what was written before is visible with it. */
static inline void publish(volatile unsigned long long *place, uint64_t value) {
#if defined(__GNUC__) || defined(__clang__)
    __atomic_store_n(place, value, __ATOMIC_RELEASE);
#else
    *place = value;
#endif
}

static inline int round_even(float value) {
    return (int)lrintf(value);
}

/* Bits of a float as an integer, and back. */
static inline int32_t float_bits(float value) {
    int32_t bits;
    memcpy(&bits, &value, 4);
    return bits;
}

static inline float float_of_bits(int32_t bits) {
    float value;
    memcpy(&value, &bits, 4);
    return value;
}

#endif
