// Whole files: the form of the binary store (docs/formats/binary.md), and libxml2 on that of the XML
// store (docs/formats/xml.md).

#ifndef BASELINES_FILES_H
#define BASELINES_FILES_H

// Reads a whole file into memory, which the caller frees. Returns 0, or errno.
int bl_file_read(const char *path, uint8_t **bytes, size_t *length);
// Writes a file beside its place, syncs it, renames it and syncs the folder. Returns 0, or errno.
int bl_file_write(const char *path, const uint8_t *bytes, size_t length);

// Checks the checksums of a binary store's bytes, and finds the items' rows. Returns 0, or -1.
int bl_binary_rows(const uint8_t *bytes, size_t length, const uint8_t **rows, size_t *row_length);
// Makes a checksum of everything before it the last 8 bytes.
void bl_binary_seal(uint8_t *bytes, size_t length);
// Says in the bytes of a binary store how long it is, and in the head of its last section, whose content
// begins behind `head_length` bytes, how long that is and how many rows it has; then seals it.
void bl_binary_finish(uint8_t *bytes, size_t length, size_t head_length, uint64_t count);

// Parses an XML store with SAX and converts the items' values; `first` is the digest of the first one
// alone. Returns 0, or libxml2's code.
int bl_xml_read(const char *path, int64_t *count, uint64_t *digest, uint64_t *first);
// Writes the items and their folders as an XML store with xmlTextWriter, into memory, then as a file
// in the way of bl_file_write. `head` is everything before the first object. Items whose key is 0 have
// keys from 1 in their order; the folders' are those from the first one to the last.
int bl_xml_write(
    const char *path, const char *head, const bl_item *items, int64_t count, int64_t first_folder,
    int64_t folders);
const char *bl_xml_version(void);

#endif
