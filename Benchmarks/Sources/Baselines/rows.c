#define _GNU_SOURCE
#include "Baselines.h"

#include <string.h>

// MARK: Checksum

// XXH64 with seed 0, implemented from its specification (Yann Collet, xxhash_spec.md).
static const uint64_t prime1 = 0x9E3779B185EBCA87u, prime2 = 0xC2B2AE3D27D4EB4Fu,
                      prime3 = 0x165667B19E3779F9u, prime4 = 0x85EBCA77C2B2AE63u,
                      prime5 = 0x27D4EB2F165667C5u;

static inline uint64_t rotate(uint64_t value, int count) {
    return value << count | value >> (64 - count);
}

static inline uint64_t xxh_round(uint64_t lane, uint64_t input) {
    return rotate(lane + input * prime2, 31) * prime1;
}

static inline uint64_t merge(uint64_t hash, uint64_t lane) {
    return (hash ^ xxh_round(0, lane)) * prime1 + prime4;
}

uint64_t bl_xxh64(const void *start, size_t length) {
    const uint8_t *bytes = start;
    size_t rest = length;
    uint64_t hash = prime5;
    if (rest >= 32) {
        uint64_t a = prime1 + prime2, b = prime2, c = 0, d = 0 - prime1;
        for (; rest >= 32; rest -= 32, bytes += 32) {
            a = xxh_round(a, bl_load64(bytes));
            b = xxh_round(b, bl_load64(bytes + 8));
            c = xxh_round(c, bl_load64(bytes + 16));
            d = xxh_round(d, bl_load64(bytes + 24));
        }
        hash = rotate(a, 1) + rotate(b, 7) + rotate(c, 12) + rotate(d, 18);
        hash = merge(merge(merge(merge(hash, a), b), c), d);
    }
    hash += length;
    for (; rest >= 8; rest -= 8, bytes += 8) {
        hash = rotate(hash ^ xxh_round(0, bl_load64(bytes)), 27) * prime1 + prime4;
    }
    if (rest >= 4) {
        hash = rotate(hash ^ bl_load32(bytes) * prime1, 23) * prime2 + prime3;
        rest -= 4;
        bytes += 4;
    }
    for (; rest; rest--, bytes++) hash = rotate(hash ^ *bytes * prime5, 11) * prime1;
    hash = (hash ^ hash >> 33) * prime2;
    hash = (hash ^ hash >> 29) * prime3;
    return hash ^ hash >> 32;
}

// MARK: Packing

// The numbers of the entities Folder and Item, and of the slot of the note.
enum { folder_entity = 1, item_entity = 2, note_slot = 6 };

static void store64(uint8_t *place, uint64_t value) { memcpy(place, &value, sizeof value); }
static void store32(uint8_t *place, uint32_t value) { memcpy(place, &value, sizeof value); }
static void store16(uint8_t *place, uint16_t value) { memcpy(place, &value, sizeof value); }

size_t bl_row_pack(const bl_item *item, int64_t key, int64_t version, uint8_t *row) {
    store16(row + 4, item_entity);
    store16(row + 6, item_entity);
    store64(row + bl_row_key, (uint64_t)key);
    store64(row + bl_row_version, (uint64_t)version);
    store64(row + bl_row_nulls, item->note ? 0 : 1u << note_slot);
    row[bl_row_active] = item->active ? 1 : 0;
    store64(row + bl_row_category, (uint64_t)item->category);
    store64(row + bl_row_created, bl_double_bits(item->created));
    store64(row + bl_row_folder, (uint64_t)item->folder);
    store16(row + bl_row_folder + 8, folder_entity);
    store64(row + bl_row_number, (uint64_t)item->number);
    store64(row + bl_row_price, bl_double_bits(item->price));
    store64(row + bl_row_rating, bl_double_bits(item->rating));
    const char *texts[] = { item->code, item->name, item->note, item->title };
    int32_t lengths[] = {
        item->code_length, item->name_length, item->note ? item->note_length : 0,
        item->title_length,
    };
    uint32_t end = 0;
    for (int index = 0; index < 4; index++) {
        memcpy(row + bl_row_texts + end, texts[index], (size_t)lengths[index]);
        end += (uint32_t)lengths[index];
        store32(row + bl_row_ends + 4 * index, end);
    }
    size_t length = bl_row_texts + end;
    size_t padded = (length + 7) / 8 * 8;
    memset(row + length, 0, padded - length);
    store32(row, (uint32_t)padded);
    return padded;
}

// MARK: Reading

static const char *text(const uint8_t *row, int index, int32_t *length) {
    uint32_t start = index ? bl_load32(row + bl_row_ends + 4 * (index - 1)) : 0;
    *length = (int32_t)(bl_load32(row + bl_row_ends + 4 * index) - start);
    return (const char *)row + bl_row_texts + start;
}

void bl_row_unpack(const uint8_t *row, bl_item *unpacked) {
    bl_item item;
    item.key = (int64_t)bl_load64(row + bl_row_key);
    item.number = (int64_t)bl_load64(row + bl_row_number);
    item.category = (int64_t)bl_load64(row + bl_row_category);
    item.price = bl_load_double(row + bl_row_price);
    item.rating = bl_load_double(row + bl_row_rating);
    item.active = row[bl_row_active];
    item.created = bl_load_double(row + bl_row_created);
    item.folder = (int64_t)bl_load64(row + bl_row_folder);
    item.code = text(row, 0, &item.code_length);
    item.name = text(row, 1, &item.name_length);
    item.note = text(row, 2, &item.note_length);
    item.title = text(row, 3, &item.title_length);
    if (bl_load64(row + bl_row_nulls) & 1u << note_slot) item.note = NULL;
    item.version = (int32_t)bl_load64(row + bl_row_version);
    *unpacked = item;
}

uint64_t bl_row_digest(const uint8_t *row) {
    bl_item item;
    bl_row_unpack(row, &item);
    return bl_item_digest(&item) * 3 + bl_load64(row + bl_row_version);
}

uint64_t bl_rows_digest(const uint8_t *rows, size_t length) {
    uint64_t digest = 0;
    for (size_t place = 0; place < length; place += bl_load32(rows + place)) {
        digest = bl_digest_add(digest, bl_row_digest(rows + place));
    }
    return digest;
}

int64_t bl_rows_count(const uint8_t *rows, size_t length, double price, double rating) {
    int64_t count = 0;
    for (size_t place = 0; place < length; place += bl_load32(rows + place)) {
        const uint8_t *row = rows + place;
        count += bl_load_double(row + bl_row_price) > price
            && bl_load_double(row + bl_row_rating) < rating;
    }
    return count;
}

void bl_rows_prices(const uint8_t *rows, size_t length, double *prices) {
    for (size_t place = 0; place < length; place += bl_load32(rows + place)) {
        *prices++ = bl_load_double(rows + place + bl_row_price);
    }
}
