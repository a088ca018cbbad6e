cdef extern from "pages/byte_steps.h" nogil:
    Py_ssize_t seek_bytes(const unsigned char *body, Py_ssize_t at, Py_ssize_t size, int low, int high) noexcept
    Py_ssize_t copy_bytes(const unsigned char *body, Py_ssize_t i, Py_ssize_t stop, unsigned char *out, Py_ssize_t o, Py_ssize_t room) noexcept
    void LINKSIGHT_PREFETCH(const void *address) noexcept

cdef inline Py_ssize_t seek(const unsigned char[::1] body, Py_ssize_t at, Py_ssize_t size, int low, int high) noexcept nogil:
    return seek_bytes(&body[0], at, size, low, high)

cdef inline Py_ssize_t copy(const unsigned char[::1] body, Py_ssize_t i, Py_ssize_t stop, unsigned char[::1] out, Py_ssize_t o) noexcept nogil:
    return copy_bytes(&body[0], i, stop, &out[0], o, out.shape[0])

cdef inline void prefetch_slot(const unsigned int[::1] slots, size_t at) noexcept nogil:
    LINKSIGHT_PREFETCH(&slots[at])

cdef inline void prefetch_row(const unsigned short[::1] pairs, size_t at) noexcept nogil:
    LINKSIGHT_PREFETCH(&pairs[at])
    LINKSIGHT_PREFETCH(&pairs[0] + at + 32)
    LINKSIGHT_PREFETCH(&pairs[0] + at + 64)
