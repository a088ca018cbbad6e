from libc.stdint cimport int64_t, uint64_t

cdef extern from "vector_loops.h" nogil:
    uint64_t sum_rows(const short *rows, const unsigned long long *found, int64_t first, int64_t stop, int64_t dim, int *sums) noexcept
    void multiply(const float *vectors, int64_t n, int64_t depth, const float *output, int64_t width, float *scores) noexcept
    void posterior(float *scores, int64_t n, int64_t width, const float *shift, const float *weights, const float *added, float *tops, float *totals) noexcept
    void first_columns(const float *values, int64_t n, int64_t width, const float *tops, short *columns) noexcept
