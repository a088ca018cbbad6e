cpdef Py_ssize_t walk(const unsigned int[::1] points, Py_ssize_t begin, Py_ssize_t end, const unsigned char[::1] letters, unsigned int[::1] keys) noexcept
cpdef Py_ssize_t add(unsigned int[::1] keys, Py_ssize_t count, const unsigned int[::1] slots, const unsigned short[::1] pairs, int[::1] scores) noexcept
