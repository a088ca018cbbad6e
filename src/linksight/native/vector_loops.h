/* Loops that pay for wide registers: sums of embedding rows, a small matrix product, softmax.

   Written with the vector extensions of gcc and clang; on x86-64 Linux gcc compiles each loop for AVX-512, AVX2 and
   the baseline, and the loader selects one. Other compilers take the plain loops. vector_loops.py is the same in Python. */
#ifndef LINKSIGHT_VECTOR_LOOPS_H
#define LINKSIGHT_VECTOR_LOOPS_H

#include <stdint.h>
#include <string.h>

#if defined(__GNUC__) || defined(__clang__)
#define LINKSIGHT_VECTORS 1
#else
#define LINKSIGHT_VECTORS 0
#endif

#if defined(__linux__) && defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 11 && !defined(__SANITIZE_ADDRESS__)
#define LINKSIGHT_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define LINKSIGHT_CLONES
#endif

#define LINKSIGHT_LANES 16

#if LINKSIGHT_VECTORS
typedef float ls_floats __attribute__((vector_size(64), aligned(4), may_alias));
typedef int32_t ls_ints __attribute__((vector_size(64), aligned(4), may_alias));
typedef int16_t ls_shorts __attribute__((vector_size(32), aligned(2), may_alias));
#endif

/* Adds rows found[first..stop) of a table (dim is a multiple of 32) to sums; the row is the lower half of an entry.
   Returns the sum of the upper halves. */
LINKSIGHT_CLONES
static uint64_t sum_rows(const short *rows, const unsigned long long *found, int64_t first, int64_t stop, int64_t dim, int *sums) {
    uint64_t upper = 0;
    for (int64_t d = 0; d < dim; d += 32) {
        upper = 0;
#if LINKSIGHT_VECTORS
        ls_ints low = {0}, high = {0};
        for (int64_t i = first; i < stop; i++) {
            const short *row = rows + (int64_t)(uint32_t)found[i] * dim + d;
            low += __builtin_convertvector(*(const ls_shorts *)row, ls_ints);
            high += __builtin_convertvector(*(const ls_shorts *)(row + 16), ls_ints);
            upper += found[i] >> 32;
        }
        *(ls_ints *)(sums + d) = low;
        *(ls_ints *)(sums + d + 16) = high;
#else
        int32_t total[32] = {0};
        for (int64_t i = first; i < stop; i++) {
            const short *row = rows + (int64_t)(uint32_t)found[i] * dim + d;
            for (int l = 0; l < 32; l++) total[l] += row[l];
            upper += found[i] >> 32;
        }
        memcpy(sums + d, total, sizeof total);
#endif
    }
    return upper;
}

/* scores (n, width) = vectors (n, depth) @ output (depth, width); width is a multiple of 16. */
LINKSIGHT_CLONES
static void multiply(const float *vectors, int64_t n, int64_t depth, const float *output, int64_t width, float *scores) {
#if LINKSIGHT_VECTORS
    int64_t r = 0;
    for (; r + 6 <= n; r += 6) {
        const float *left = vectors + r * depth;
        for (int64_t c = 0; c < width; c += LINKSIGHT_LANES) {
            ls_floats a = {0}, b = {0}, d = {0}, e = {0}, f = {0}, g = {0};
            for (int64_t k = 0; k < depth; k++) {
                ls_floats right = *(const ls_floats *)(output + k * width + c);
                a += left[k] * right;
                b += left[depth + k] * right;
                d += left[2 * depth + k] * right;
                e += left[3 * depth + k] * right;
                f += left[4 * depth + k] * right;
                g += left[5 * depth + k] * right;
            }
            float *to = scores + r * width + c;
            *(ls_floats *)to = a;
            *(ls_floats *)(to + width) = b;
            *(ls_floats *)(to + 2 * width) = d;
            *(ls_floats *)(to + 3 * width) = e;
            *(ls_floats *)(to + 4 * width) = f;
            *(ls_floats *)(to + 5 * width) = g;
        }
    }
    for (; r < n; r++) {
        for (int64_t c = 0; c < width; c += LINKSIGHT_LANES) {
            ls_floats a = {0};
            for (int64_t k = 0; k < depth; k++) a += vectors[r * depth + k] * *(const ls_floats *)(output + k * width + c);
            *(ls_floats *)(scores + r * width + c) = a;
        }
    }
#else
    for (int64_t r = 0; r < n; r++) {
        for (int64_t c = 0; c < width; c += LINKSIGHT_LANES) {
            float a[LINKSIGHT_LANES] = {0};
            for (int64_t k = 0; k < depth; k++)
                for (int l = 0; l < LINKSIGHT_LANES; l++) a[l] += vectors[r * depth + k] * output[k * width + c + l];
            memcpy(scores + r * width + c, a, sizeof a);
        }
    }
#endif
}

#if LINKSIGHT_VECTORS
/* exp of what is not above zero: 2 to the nearest integer by its bits, a polynomial for the rest. */
#define LINKSIGHT_EXP(x, result)                                                                                      \
    do {                                                                                                              \
        ls_floats t_ = (x) * 1.44269504f;                                                                             \
        ls_ints small_ = t_ < -126.0f;                                                                                \
        ls_floats least_ = {0};                                                                                       \
        least_ -= 126.0f;                                                                                             \
        t_ = (ls_floats)(((ls_ints)t_ & ~small_) | ((ls_ints)least_ & small_));                                       \
        ls_floats whole_ = (t_ + 12582912.0f) - 12582912.0f;                                                          \
        ls_floats f_ = t_ - whole_;                                                                                   \
        ls_ints power_ = (__builtin_convertvector(whole_, ls_ints) + 127) << 23;                                      \
        (result) = (ls_floats)power_ *                                                                                \
            (1.0f + f_ * (0.693147f + f_ * (0.24022242f + f_ * (0.055507336f + f_ * (0.009671513f + f_ * 0.0013264725f))))); \
    } while (0)
#else
#include <math.h>
#endif

/* Turns calibrated scores (n, width) into unnormalised posterior probabilities by Bayes' rule:
   weights * softmax(scores - shift) + added. Writes each row's largest one and their sum. */
LINKSIGHT_CLONES
static void posterior(float *scores, int64_t n, int64_t width, const float *shift, const float *weights, const float *added,
                      float *tops, float *totals) {
    for (int64_t r = 0; r < n; r++) {
        float *row = scores + r * width;
        float top = -3.0e38f, total = 0.0f;
#if LINKSIGHT_VECTORS
        ls_floats tops_ = {0}, sum = {0};
        tops_ -= 3.0e38f;
        for (int64_t c = 0; c < width; c += LINKSIGHT_LANES) {
            ls_floats x = *(ls_floats *)(row + c) - *(const ls_floats *)(shift + c);
            ls_ints larger = x > tops_;
            tops_ = (ls_floats)(((ls_ints)x & larger) | ((ls_ints)tops_ & ~larger));
            *(ls_floats *)(row + c) = x;
        }
        for (int l = 0; l < LINKSIGHT_LANES; l++) top = tops_[l] > top ? tops_[l] : top;
        for (int64_t c = 0; c < width; c += LINKSIGHT_LANES) {
            ls_floats x = *(ls_floats *)(row + c) - top, e;
            LINKSIGHT_EXP(x, e);
            *(ls_floats *)(row + c) = e;
            sum += e;
        }
        for (int l = 0; l < LINKSIGHT_LANES; l++) total += sum[l];
        float share = 1.0f / total;
        ls_floats zero = {0};
        sum = zero;
        tops_ = zero;
        for (int64_t c = 0; c < width; c += LINKSIGHT_LANES) {
            ls_floats x = share * *(const ls_floats *)(weights + c) * *(ls_floats *)(row + c) + *(const ls_floats *)(added + c);
            ls_ints larger = x > tops_;
            tops_ = (ls_floats)(((ls_ints)x & larger) | ((ls_ints)tops_ & ~larger));
            *(ls_floats *)(row + c) = x;
            sum += x;
        }
        top = total = 0.0f;
        for (int l = 0; l < LINKSIGHT_LANES; l++) {
            top = tops_[l] > top ? tops_[l] : top;
            total += sum[l];
        }
#else
        for (int64_t c = 0; c < width; c++) {
            row[c] -= shift[c];
            top = row[c] > top ? row[c] : top;
        }
        for (int64_t c = 0; c < width; c++) {
            row[c] = expf(row[c] - top);
            total += row[c];
        }
        float share = 1.0f / total;
        top = total = 0.0f;
        for (int64_t c = 0; c < width; c++) {
            row[c] = share * weights[c] * row[c] + added[c];
            top = row[c] > top ? row[c] : top;
            total += row[c];
        }
#endif
        tops[r] = top;
        totals[r] = total;
    }
}

/* The first column with each row's largest value. */
LINKSIGHT_CLONES
static void first_columns(const float *values, int64_t n, int64_t width, const float *tops, short *columns) {
    for (int64_t r = 0; r < n; r++) {
        const float *row = values + r * width;
        int64_t c = 0;
#if LINKSIGHT_VECTORS
        for (; c + LINKSIGHT_LANES <= width; c += LINKSIGHT_LANES) {
            ls_ints same = *(const ls_floats *)(row + c) == tops[r];
            int32_t any = 0;
            for (int l = 0; l < LINKSIGHT_LANES; l++) any |= same[l];
            if (any) break;
        }
#endif
        while (c < width - 1 && row[c] != tops[r]) c++;
        columns[r] = (int16_t)c;
    }
}

#endif
