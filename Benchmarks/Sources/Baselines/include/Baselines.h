// Direct use of the C libraries: the best that a program could do that gives the same answers, maintains
// the same schema, indexes and bookkeeping, and takes the same locks and syncs as often.
//
// Every function returns 0, or the library's error code, which `bl_*_error` describes in words.

#ifndef BASELINES_H
#define BASELINES_H

#include <stddef.h>
#include <stdint.h>

// The values of one object of the reference entity. Strings are UTF-8 and end with a zero byte that
// their length does not include. A note of NULL means nil.
typedef struct bl_item {
    int64_t key, number, category, folder;
    double price, rating, created;
    const char *name, *title, *code, *note;
    int32_t name_length, title_length, code_length, note_length;
    int32_t active;
    // The version of the row. 0 is treated as 1.
    int32_t version;
} bl_item;

// A digest of the values that were read, by row and in the order of the rows.
static inline uint64_t bl_text_digest(const unsigned char *text, int64_t length) {
    if (!text) return 0x9e3779b9u;
    uint64_t ends = length ? text[0] + 7u * (uint64_t)text[length - 1] : 0;
    return (uint64_t)length * 131u + ends;
}

static inline uint64_t bl_double_bits(double value) {
    union { double number; uint64_t bits; } both = { .number = value };
    return both.bits;
}

// A digest of a title, a number and a price.
static inline uint64_t bl_columns_digest(uint64_t title, int64_t number, double price) {
    return title ^ ((uint64_t)number * 0x9e3779b9u) ^ bl_double_bits(price);
}

uint64_t bl_item_digest(const bl_item *item);

static inline uint64_t bl_digest_add(uint64_t digest, uint64_t row) { return digest * 31u + row; }

// Returns the number of bytes that the process has allocated with malloc and not freed.
size_t bl_heap_bytes(void);

// Does nothing, but the compiler must assume that it changes memory, so that values are read again
// afterwards.
void bl_barrier(void);

// Finds registered objects with open addressing and the golden-ratio hash of the key. Returns the sum of
// the values found. `table` has `capacity` entries of key and value; `capacity` is a power of two.
uint64_t bl_table_lookups(
    const int64_t *table, size_t capacity, const int64_t *keys, int64_t count);
// Inserts a key and a value into such a table.
void bl_table_put(int64_t *table, size_t capacity, int64_t key, int64_t value);

#include "BaselinesFiles.h"
#include "BaselinesRows.h"
#include "BaselinesProcessors.h"
#include "BaselinesQuery.h"
#include "BaselinesMemory.h"
#include "BaselinesLMDB.h"
#include "BaselinesSQLite.h"
#include "BaselinesPostgreSQL.h"

#endif
