// The size of the heap, which Swift's module of the C library does not declare.
#include <stddef.h>
#ifdef __linux__
#include <malloc.h>
#endif

// Returns the number of bytes that the process has allocated with malloc and not freed, or 0 if the system
// does not report it.
static inline size_t cairn_heap_bytes(void) {
#ifdef __linux__
    struct mallinfo2 use = mallinfo2();
    return use.uordblks + use.hblkhd;
#else
    return 0;
#endif
}
