from libc.stdint cimport int32_t, int64_t, uint64_t

cdef extern from "primitives.h" nogil:
    uint64_t fnv_step(uint64_t state, uint64_t byte) noexcept
    uint64_t fnv_mix(uint64_t state) noexcept
    int count_bits(uint64_t value) noexcept
    int first_bit(uint64_t value) noexcept
    int last_bit(uint64_t value) noexcept
    uint64_t low_bits(int64_t n) noexcept
    int32_t float_bits(float value) noexcept
    float float_of_bits(int32_t bits) noexcept
    void prefetch(const void *address) noexcept
    void publish(unsigned long long *place, uint64_t value) noexcept
    int round_even(float value) noexcept
