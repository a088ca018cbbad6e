cpdef (int, int, Py_ssize_t) read(const unsigned char[::1] body, Py_ssize_t at, Py_ssize_t size, const unsigned int[::1] keys, const unsigned int[::1] points) noexcept
