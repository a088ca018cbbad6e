#ifndef LINKSIGHT_BYTE_STEPS_H
#define LINKSIGHT_BYTE_STEPS_H
/* Steps over many bytes of a page at a time; byte_steps.py defines their results. */

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "primitives.h"

#if defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
#define LINKSIGHT_SSE2 1
#endif

static inline ptrdiff_t seek_bytes(const uint8_t *body, ptrdiff_t at, ptrdiff_t size, int low, int high) {
#ifdef LINKSIGHT_SSE2
    /* byte - low <= high - low, unsigned: the saturated difference is zero */
    const __m128i first = _mm_set1_epi8((char)low), width = _mm_set1_epi8((char)(high - low));
    for (; at + 16 <= size; at += 16) {
        __m128i bytes = _mm_sub_epi8(_mm_loadu_si128((const __m128i *)(body + at)), first);
        unsigned found = _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_subs_epu8(bytes, width), _mm_setzero_si128()));
        if (found)
            return at + first_bit(found);
    }
#endif
    while (at < size && !(low <= body[at] && body[at] <= high))
        at++;
    return at;
}

/* Bytes that may be copied as they are from body[i:stop] to out[o:], of which `room` may be written. */
static inline ptrdiff_t copy_bytes(const uint8_t *body, ptrdiff_t i, ptrdiff_t stop, uint8_t *out, ptrdiff_t o, ptrdiff_t room) {
    const ptrdiff_t begun = i;
    int spaced = out[o - 1] == 32;
#ifdef LINKSIGHT_SSE2
    const __m128i space = _mm_set1_epi8(32), and_sign = _mm_set1_epi8(38), low = _mm_set1_epi8(31);
    const __m128i tag = _mm_set1_epi8(60), width = _mm_set1_epi8(2), zero = _mm_setzero_si128();
    while (i + 16 <= stop && o + 16 <= room) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(body + i));
        __m128i ends = _mm_or_si128(_mm_cmpeq_epi8(bytes, and_sign),
                                    _mm_cmpeq_epi8(_mm_subs_epu8(bytes, low), zero));
        ends = _mm_or_si128(ends, _mm_cmpeq_epi8(_mm_subs_epu8(_mm_sub_epi8(bytes, tag), width), zero));
        unsigned spaces = _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, space));
        unsigned found = _mm_movemask_epi8(ends) | (spaces & (spaces << 1 | spaced));
        _mm_storeu_si128((__m128i *)(out + o), bytes);
        if (found)
            return i - begun + first_bit(found);
        spaced = (spaces >> 15) & 1;
        i += 16;
        o += 16;
    }
#endif
    for (; i < stop; i++, o++) {
        uint8_t c = body[i];
        if (c == 38 || (60 <= c && c <= 62) || c < 32 || (c == 32 && spaced))
            break;
        spaced = c == 32;
        out[o] = c;
    }
    return i - begun;
}

#endif
