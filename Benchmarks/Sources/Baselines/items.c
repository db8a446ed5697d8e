#include "Baselines.h"

#include <malloc.h>

uint64_t bl_item_digest(const bl_item *item) {
    uint64_t digest = (uint64_t)item->key;
    digest = digest * 3 + (uint64_t)item->number;
    digest = digest * 3 + (uint64_t)item->category;
    digest = digest * 3 + bl_double_bits(item->price);
    digest = digest * 3 + bl_double_bits(item->rating);
    digest = digest * 3 + (uint64_t)item->active;
    digest = digest * 3 + bl_double_bits(item->created);
    digest = digest * 3 + bl_text_digest((const unsigned char *)item->name, item->name_length);
    digest = digest * 3 + bl_text_digest((const unsigned char *)item->title, item->title_length);
    digest = digest * 3 + bl_text_digest((const unsigned char *)item->code, item->code_length);
    digest = digest * 3 + bl_text_digest((const unsigned char *)item->note, item->note_length);
    digest = digest * 3 + (uint64_t)item->folder;
    return digest;
}

size_t bl_heap_bytes(void) {
    struct mallinfo2 use = mallinfo2();
    return use.uordblks + use.hblkhd;
}

void bl_barrier(void) {}

static inline size_t home(int64_t key, size_t capacity) {
    return (size_t)(((uint64_t)key * 0x9e3779b97f4a7c15u) >> 20) & (capacity - 1);
}

void bl_table_put(int64_t *table, size_t capacity, int64_t key, int64_t value) {
    size_t place = home(key, capacity);
    while (table[2 * place]) place = (place + 1) & (capacity - 1);
    table[2 * place] = key;
    table[2 * place + 1] = value;
}

uint64_t bl_table_lookups(
    const int64_t *table, size_t capacity, const int64_t *keys, int64_t count) {
    uint64_t sum = 0;
    for (int64_t index = 0; index < count; index++) {
        size_t place = home(keys[index], capacity);
        while (table[2 * place] != keys[index]) place = (place + 1) & (capacity - 1);
        sum = sum * 3 + (uint64_t)table[2 * place + 1];
    }
    return sum;
}
