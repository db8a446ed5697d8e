// The C libraries used directly: what a program could do at best that gives the same answers, keeps
// the same schema, indexes and bookkeeping, takes the same locks and syncs as often.
//
// Every function returns 0, or the library's error code; `bl_*_error` says it in words.

#ifndef BASELINES_H
#define BASELINES_H

#include <stddef.h>
#include <stdint.h>

// The values of one object of the reference entity. Texts are UTF-8 and end with a zero byte, which
// their length does not count; a note of NULL is nil.
typedef struct bl_item {
    int64_t key, number, category, folder;
    double price, rating, created;
    const char *name, *title, *code, *note;
    int32_t name_length, title_length, code_length, note_length;
    int32_t active;
    // Of the row; 0 counts as 1.
    int32_t version;
} bl_item;

// What was read, in a number: each row's values, in the order in which the rows came.
static inline uint64_t bl_text_digest(const unsigned char *text, int64_t length) {
    if (!text) return 0x9e3779b9u;
    uint64_t ends = length ? text[0] + 7u * (uint64_t)text[length - 1] : 0;
    return (uint64_t)length * 131u + ends;
}

static inline uint64_t bl_double_bits(double value) {
    union { double number; uint64_t bits; } both = { .number = value };
    return both.bits;
}

uint64_t bl_item_digest(const bl_item *item);

static inline uint64_t bl_digest_add(uint64_t digest, uint64_t row) { return digest * 31u + row; }

// Bytes that the process has got from malloc and not given back.
size_t bl_heap_bytes(void);

// Does nothing, and may do anything for all that a compiler knows: what was read before must be read
// anew.
void bl_barrier(void);

// Finds registered objects: open addressing, the key's golden-ratio hash. Returns the sum of what
// was found; `table` has `capacity` entries, a power of two, of key and value.
uint64_t bl_table_lookups(
    const int64_t *table, size_t capacity, const int64_t *keys, int64_t count);
// Puts a key and a value into such a table.
void bl_table_put(int64_t *table, size_t capacity, int64_t key, int64_t value);

#include "BaselinesFiles.h"
#include "BaselinesRows.h"
#include "BaselinesProcessors.h"
#include "BaselinesQuery.h"
#include "BaselinesMemory.h"
#include "BaselinesLMDB.h"
#include "BaselinesSQLite.h"

#endif
