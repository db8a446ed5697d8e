// What the parts of the LMDB baseline share.

#ifndef BASELINES_LMDB_STORE_H
#define BASELINES_LMDB_STORE_H

#include "Baselines.h"

#include <lmdb.h>

// The error of a row whose bytes are not those that were sealed.
enum { seal_is_broken = MDB_CORRUPTED };

struct bl_lmdb {
    MDB_env *env;
    MDB_dbi rows, category, folders, record;
    int lock;
};

// The name of a category in the index: 01, the integer big-endian with its highest bit turned around.
static inline void bl_lmdb_name_category(int64_t category, uint8_t name[9]) {
    uint64_t turned = __builtin_bswap64((uint64_t)category ^ (uint64_t)1 << 63);
    name[0] = 1;
    __builtin_memcpy(name + 1, &turned, sizeof turned);
}

#endif
