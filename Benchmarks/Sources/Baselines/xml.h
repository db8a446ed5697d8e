// Declarations shared by the two halves of the XML baseline.

#ifndef BASELINES_XML_PRIVATE_H
#define BASELINES_XML_PRIVATE_H

#include "Baselines.h"

#include <stdlib.h>

// An object's number in the file: its key times the number of root entities, which are Folder and Item,
// plus the index of its own root entity.
static inline int64_t bl_xml_folder_id(int64_t key) { return key * 2; }
static inline int64_t bl_xml_item_id(int64_t key) { return key * 2 + 1; }

// Returns the key in an identifier such as z107.
static inline int64_t bl_xml_key(const char *identifier) {
    return strtoll(identifier + 1, NULL, 10) / 2;
}

#endif
