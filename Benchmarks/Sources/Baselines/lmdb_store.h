// Declarations shared by the parts of the LMDB baseline.

#ifndef BASELINES_LMDB_STORE_H
#define BASELINES_LMDB_STORE_H

#include "Baselines.h"

#include <lmdb.h>

// The error for a row whose bytes do not match its seal.
enum { seal_is_broken = MDB_CORRUPTED };

struct bl_lmdb {
    MDB_env *env;
    MDB_dbi rows, folder_rows, category, folders, record;
    int lock;
};

// The name of a category in the index: 01, then the integer in big-endian order with its highest bit
// inverted.
static inline void bl_lmdb_name_category(int64_t category, uint8_t name[9]) {
    uint64_t turned = __builtin_bswap64((uint64_t)category ^ (uint64_t)1 << 63);
    name[0] = 1;
    __builtin_memcpy(name + 1, &turned, sizeof turned);
}

// Returns the row of a sealed value, or NULL if its seal is not valid.
static inline const uint8_t *bl_lmdb_unseal(const MDB_val *value, size_t *length) {
    if (value->mv_size < 8) return NULL;
    const uint8_t *row = (const uint8_t *)value->mv_data + 8;
    *length = value->mv_size - 8;
    return bl_load64(value->mv_data) == bl_xxh64(row, *length) ? row : NULL;
}

// The key of a link: both keys in big-endian order.
static inline void bl_lmdb_name_link(int64_t from, int64_t to, uint64_t name[2]) {
    name[0] = __builtin_bswap64((uint64_t)from);
    name[1] = __builtin_bswap64((uint64_t)to);
}

#endif
