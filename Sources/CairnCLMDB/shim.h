#pragma once
#include <lmdb.h>
#include <stddef.h>

// Asks the processor to load the bytes before an address into its cache, at most 512 of them. This is
// only a hint: no memory is accessed, so the address need not be valid.
static inline void cairn_prefetch_before(const void *address, size_t byteCount) {
    const char *last = (const char *)address - 1;
    if (byteCount > 512) byteCount = 512;
    for (size_t distance = 0; distance < byteCount; distance += 64) {
        __builtin_prefetch(last - distance);
    }
}
