#include "postgres.h"

#include <stdlib.h>
#include <time.h>

// MARK: Arrays

// The number of bytes before the elements of an array: dimensions, flags, element type, length, first index.
enum { head = 20 };

// The object identifiers of types, from pg_type.
enum { type_bool = 16, type_int8 = 20, type_text = 25, type_float8 = 701 };

typedef struct {
    char *bytes;
    size_t length, capacity;
    uint32_t count, has_null, type;
} array;

static array empty(uint32_t type) {
    return (array){ .bytes = malloc(256), .length = head, .capacity = 256, .type = type };
}

// Adds a value, or NULL.
static void add(array *array, const void *value, size_t length) {
    size_t end = array->length + 4 + length;
    if (end > array->capacity) {
        array->capacity = end * 2;
        array->bytes = realloc(array->bytes, array->capacity);
    }
    uint32_t prefix = htobe32(value ? (uint32_t)length : UINT32_MAX);
    memcpy(array->bytes + array->length, &prefix, sizeof prefix);
    if (value) memcpy(array->bytes + array->length + 4, value, length);
    array->length = end;
    array->has_null |= !value;
    array->count++;
}

static void add_bits(array *array, uint64_t value) {
    value = htobe64(value);
    add(array, &value, sizeof value);
}

static void add_text(array *array, const char *text, int32_t length) {
    add(array, text, text ? (size_t)length : 0);
}

// Returns the array as a parameter, or its only element.
static bl_parameter parameter(array *array, int is_single) {
    if (is_single) {
        if (array->has_null) return (bl_parameter){ NULL, 0 };
        return (bl_parameter){ array->bytes + head + 4, (int)array->length - head - 4 };
    }
    uint32_t header[] = { 1, array->has_null, array->type, array->count, 1 };
    for (int index = 0; index < 5; index++) header[index] = htobe32(header[index]);
    memcpy(array->bytes, header, sizeof header);
    return (bl_parameter){ array->bytes, (int)array->length };
}

char *bl_postgres_array(const int64_t *numbers, int64_t count) {
    array numbers_array = empty(type_int8);
    for (int64_t index = 0; index < count; index++) {
        add_bits(&numbers_array, (uint64_t)numbers[index]);
    }
    parameter(&numbers_array, 0);
    return numbers_array.bytes;
}

// MARK: Saves

// Returns a new name, which is greater than those before it.
static void name_save(bl_postgres *store, uint64_t name[2]) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t milliseconds = (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
    name[0] = htobe64(milliseconds << 16 | 0x7000);
    name[1] = htobe64(1ull << 63 | ++store->saves);
}

// Sends the beginning of a save.
static int begin(bl_postgres *store) {
    uint64_t lock = htobe64((uint64_t)store->lock);
    bl_parameter parameter = { (const char *)&lock, sizeof lock };
    return bl_postgres_send(store, "begin", NULL, 0)
        || bl_postgres_send(store, "lock", &parameter, 1)
        || bl_postgres_send(store, "state", NULL, 0);
}

// Sends the bookkeeping of a save.
static int record(bl_postgres *store, const char *change, bl_parameter keys) {
    uint64_t name[2];
    name_save(store, name);
    bl_parameter parameter = { (const char *)name, sizeof name };
    return bl_postgres_send(store, change, &keys, 1)
        || bl_postgres_send(store, "name", &parameter, 1);
}

static int is_changed(PGresult *result, int64_t count) {
    return atoll(PQcmdTuples(result)) == count;
}

// Receives the results of a save, and commits if they are as expected: the statement at `written` changed `count` rows,
// and the one at `locked` found `locked_count`.
static int end(
    bl_postgres *store, int code, int written, int64_t count, int locked, int64_t locked_count) {
    if (!code) code = bl_postgres_flush(store);
    if (!code) {
        int is_right = bl_postgres_int64(store->results[2], 0, 0) == (uint64_t)store->identity
            && is_changed(store->results[written], count)
            && PQntuples(store->results[locked]) == locked_count;
        if (!is_right) code = 2;
    }
    int sent = code ? bl_postgres_send(store, "rollback", NULL, 0)
                    : bl_postgres_send(store, "count", NULL, 0)
            || bl_postgres_send(store, "commit", NULL, 0);
    if (!sent) sent = bl_postgres_flush(store);
    return code ? code : sent;
}

// Reserves keys, as many as the engine does.
static int reserve(bl_postgres *store, int64_t count) {
    if (store->end_key - store->next_key >= count) return 0;
    uint64_t wanted = htobe64((uint64_t)(count < 128 ? 256 : 2 * count));
    bl_parameter parameter = { (const char *)&wanted, sizeof wanted };
    int code = bl_postgres_send(store, "reserve", &parameter, 1);
    if (!code) code = bl_postgres_flush(store);
    if (code) return code;
    store->next_key = (int64_t)bl_postgres_int64(store->results[0], 0, 0);
    store->end_key = (int64_t)bl_postgres_int64(store->results[0], 0, 1);
    return 0;
}

enum { column_count = 12 };

static void add_item(array columns[column_count], const bl_item *item, int64_t key) {
    char active = item->active != 0;
    add_bits(&columns[0], (uint64_t)key);
    add_bits(&columns[1], (uint64_t)item->number);
    add_bits(&columns[2], (uint64_t)item->category);
    add_bits(&columns[3], bl_double_bits(item->price));
    add_bits(&columns[4], bl_double_bits(item->rating));
    add(&columns[5], &active, 1);
    add_bits(&columns[6], bl_double_bits(item->created));
    add_text(&columns[7], item->name, item->name_length);
    add_text(&columns[8], item->title, item->title_length);
    add_text(&columns[9], item->code, item->code_length);
    add_text(&columns[10], item->note, item->note_length);
    add_bits(&columns[11], (uint64_t)item->folder);
}

// Returns the keys of the items' folders, each once, as an array.
static array folders_of(const bl_item *items, int64_t count) {
    int64_t most = 0;
    for (int64_t index = 0; index < count; index++) {
        if (items[index].folder > most) most = items[index].folder;
    }
    char *seen = calloc((size_t)most + 1, 1);
    for (int64_t index = 0; index < count; index++) seen[items[index].folder] = 1;
    array folders = empty(type_int8);
    for (int64_t key = 1; key <= most; key++) {
        if (seen[key]) add_bits(&folders, (uint64_t)key);
    }
    free(seen);
    return folders;
}

int bl_postgres_insert(bl_postgres *store, const bl_item *items, int64_t count) {
    static const uint32_t types[column_count] = {
        type_int8,   type_int8, type_int8, type_float8, type_float8, type_bool,
        type_float8, type_text, type_text, type_text,   type_text,   type_int8,
    };
    int code = reserve(store, count);
    if (code) return code;
    array columns[column_count];
    for (int index = 0; index < column_count; index++) columns[index] = empty(types[index]);
    for (int64_t index = 0; index < count; index++) {
        add_item(columns, &items[index], store->next_key++);
    }
    array folders = folders_of(items, count);
    bl_parameter parameters[column_count];
    for (int index = 0; index < column_count; index++) {
        parameters[index] = parameter(&columns[index], count == 1);
    }
    bl_parameter shared = parameter(&folders, 0);
    code = begin(store)
        || bl_postgres_send(
               store, count == 1 ? "insert one" : "insert", parameters, column_count)
        || bl_postgres_send(store, "folders", &shared, 1)
        || record(store, "inserted", parameter(&columns[0], 0));
    code = end(store, code, 3, count, 4, folders.count);
    for (int index = 0; index < column_count; index++) free(columns[index].bytes);
    free(folders.bytes);
    return code;
}

int bl_postgres_update(
    bl_postgres *store, const int64_t *keys, const double *prices, const char *const *titles,
    int64_t count, int64_t version) {
    array columns[] = { empty(type_int8), empty(type_float8), empty(type_text) };
    for (int64_t index = 0; index < count; index++) {
        add_bits(&columns[0], (uint64_t)keys[index]);
        add_bits(&columns[1], bl_double_bits(prices[index]));
        add_text(&columns[2], titles[index], (int32_t)strlen(titles[index]));
    }
    uint64_t expected = htobe64((uint64_t)version);
    bl_parameter parameters[] = {
        parameter(&columns[0], 0), parameter(&columns[1], 0), parameter(&columns[2], 0),
        { (const char *)&expected, sizeof expected },
    };
    int code = begin(store) || bl_postgres_send(store, "hold", parameters, 1)
        || bl_postgres_send(store, "update", parameters, 4)
        || record(store, "updated", parameters[0]);
    code = end(store, code, 4, count, 3, count);
    for (int index = 0; index < 3; index++) free(columns[index].bytes);
    return code;
}
