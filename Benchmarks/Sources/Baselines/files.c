#define _GNU_SOURCE
#include "Baselines.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int bl_file_read(const char *path, uint8_t **bytes, size_t *length) {
    *bytes = NULL;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return errno;
    struct stat status;
    fstat(file, &status);
    *length = (size_t)status.st_size;
    *bytes = malloc(*length);
    size_t done = 0;
    while (done < *length) {
        ssize_t count = read(file, *bytes + done, *length - done);
        if (count <= 0) break;
        done += (size_t)count;
    }
    close(file);
    return done == *length ? 0 : EIO;
}

static int sync_folder(const char *path) {
    char *copy = strdup(path);
    int folder = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    free(copy);
    if (folder < 0) return errno;
    int rc = fsync(folder) ? errno : 0;
    close(folder);
    return rc;
}

int bl_file_write(const char *path, const uint8_t *bytes, size_t length) {
    char *beside;
    if (asprintf(&beside, "%s.new", path) < 0) return ENOMEM;
    int file = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    int rc = file < 0 ? errno : 0;
    for (size_t done = 0; !rc && done < length;) {
        ssize_t count = write(file, bytes + done, length - done);
        if (count < 0) rc = errno;
        else done += (size_t)count;
    }
    if (!rc && fsync(file)) rc = errno;
    if (file >= 0) close(file);
    if (!rc && rename(beside, path)) rc = errno;
    free(beside);
    return rc ? rc : sync_folder(path);
}

// MARK: Binary stores

enum { length_place = 16, record_place = 24, section_head = 24, rows_kind = 1, item_entity = 2 };

int bl_binary_rows(const uint8_t *bytes, size_t length, const uint8_t **rows, size_t *row_length) {
    if (length < 56 || bl_load64(bytes + length - 8) != bl_xxh64(bytes, length - 8)) return -1;
    size_t place = bl_load64(bytes + record_place);
    while (place + section_head <= length - 8) {
        size_t content = bl_load64(bytes + place + 16);
        if (bl_load32(bytes + place) == rows_kind && bl_load32(bytes + place + 4) == item_entity) {
            *rows = bytes + place + section_head;
            *row_length = content;
            return 0;
        }
        place += section_head + content;
    }
    return -1;
}

void bl_binary_finish(uint8_t *bytes, size_t length, size_t head_length, uint64_t count) {
    uint64_t byte_count = length, content = length - head_length - 8;
    memcpy(bytes + length_place, &byte_count, sizeof byte_count);
    uint8_t *section = bytes + head_length - section_head;
    memcpy(section + 8, &count, sizeof count);
    memcpy(section + 16, &content, sizeof content);
    bl_binary_seal(bytes, length);
}

void bl_binary_seal(uint8_t *bytes, size_t length) {
    uint64_t seal = bl_xxh64(bytes, length - 8);
    memcpy(bytes + length - 8, &seal, sizeof seal);
}
