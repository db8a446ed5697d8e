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
