// Cairn's packed rows of the reference entity, as RowLayout describes them.

#ifndef BASELINES_ROWS_H
#define BASELINES_ROWS_H

// Where the fixed values stand in a row.
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
    // Ends of code, name, note, title, then their bytes.
    bl_row_ends = 83,
    bl_row_texts = 99,
};

// The highest number of bytes that a row of an item takes.
enum { bl_row_capacity = 512 };

uint64_t bl_xxh64(const void *bytes, size_t length);

// Packs an item's values, and returns how many bytes the row takes.
size_t bl_row_pack(const bl_item *item, int64_t key, int64_t version, uint8_t *row);
// Reads all values of a row; its texts stay in the row, and end with no zero byte.
void bl_row_unpack(const uint8_t *row, bl_item *item);
// What a row holds, in a number.
uint64_t bl_row_digest(const uint8_t *row);
// Adds the digests of rows that stand one behind the other.
uint64_t bl_rows_digest(const uint8_t *rows, size_t length);

// How many rows have a price above a bound and a rating below another: a loop over packed rows.
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
