#pragma once
#include <lmdb.h>
#include <stddef.h>

// Has the processor load the bytes before an address, 512 at most. A hint: it reads nothing, so any
// address will do.
static inline void cairn_prefetch_before(const void *address, size_t byteCount) {
    const char *last = (const char *)address - 1;
    if (byteCount > 512) byteCount = 512;
    for (size_t distance = 0; distance < byteCount; distance += 64) {
        __builtin_prefetch(last - distance);
    }
}
