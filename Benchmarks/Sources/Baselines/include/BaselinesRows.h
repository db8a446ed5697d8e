// Cairn's packed rows of the reference entity, in the format that RowLayout describes.

#ifndef BASELINES_ROWS_H
#define BASELINES_ROWS_H

// The offsets of the fixed values in a row.
enum {
    bl_row_key = 8,
    bl_row_version = 16,
    bl_row_nulls = 24,
    bl_row_active = 32,
    bl_row_category = 33,
    bl_row_created = 41,
    bl_row_folder = 49,
    bl_row_number = 59,
    bl_row_price = 67,
    bl_row_rating = 75,
    // The end offsets of code, name, note and title, followed by their bytes.
    bl_row_ends = 83,
    bl_row_texts = 99,
};

// The maximum number of bytes in the row of an item.
enum { bl_row_capacity = 512 };

uint64_t bl_xxh64(const void *bytes, size_t length);

// Packs an item's values, and returns the number of bytes in the row.
size_t bl_row_pack(const bl_item *item, int64_t key, int64_t version, uint8_t *row);
// Reads all values of a row. Its strings are not copied, and do not end with a zero byte.
void bl_row_unpack(const uint8_t *row, bl_item *item);
// Returns a digest of a row.
uint64_t bl_row_digest(const uint8_t *row);
// Returns the digest of consecutive rows.
uint64_t bl_rows_digest(const uint8_t *rows, size_t length);

// Returns how many rows have a price above one bound and a rating below another, by a loop over packed
// rows.
int64_t bl_rows_count(const uint8_t *rows, size_t length, double price, double rating);
// Reads the prices of all rows.
void bl_rows_prices(const uint8_t *rows, size_t length, double *prices);

static inline uint64_t bl_load64(const uint8_t *bytes) {
    uint64_t value;
    __builtin_memcpy(&value, bytes, sizeof value);
    return value;
}

static inline uint32_t bl_load32(const uint8_t *bytes) {
    uint32_t value;
    __builtin_memcpy(&value, bytes, sizeof value);
    return value;
}

static inline double bl_load_double(const uint8_t *bytes) {
    double value;
    __builtin_memcpy(&value, bytes, sizeof value);
    return value;
}

#endif
