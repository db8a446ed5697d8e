// Whole files: the format of the binary store (docs/formats/binary.md), and libxml2 with the format of the
// XML store (docs/formats/xml.md).

#ifndef BASELINES_FILES_H
#define BASELINES_FILES_H

// Reads a whole file into memory that the caller must free. Returns 0, or errno.
int bl_file_read(const char *path, uint8_t **bytes, size_t *length);
// Writes a file next to its final path, syncs it, renames it and syncs the folder. Returns 0, or errno.
int bl_file_write(const char *path, const uint8_t *bytes, size_t length);

// Verifies the checksums of a binary store's bytes, and finds the rows of the items. Returns 0, or -1.
int bl_binary_rows(const uint8_t *bytes, size_t length, const uint8_t **rows, size_t *row_length);
// Sets the last 8 bytes to a checksum of all bytes before them.
void bl_binary_seal(uint8_t *bytes, size_t length);
// Updates the length in the head of a binary store. Also updates the head of the last section, whose
// content begins after `head_length` bytes, with the section's length and number of rows. Then computes the
// checksums.
void bl_binary_finish(uint8_t *bytes, size_t length, size_t head_length, uint64_t count);

// Parses an XML store with SAX and converts the values of the items. `first` is the digest of the first
// item alone. Returns 0, or libxml2's code.
int bl_xml_read(const char *path, int64_t *count, uint64_t *digest, uint64_t *first);
// Writes the items and their folders as an XML store, first into memory with xmlTextWriter, then to a file
// in the same way as bl_file_write. `head` is the text before the first object. Items whose key is 0 get
// keys from 1 in order. The folders' keys are those from the first folder to the last.
int bl_xml_write(
    const char *path, const char *head, const bl_item *items, int64_t count, int64_t first_folder,
    int64_t folders);
const char *bl_xml_version(void);

#endif
