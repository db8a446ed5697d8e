#include "xml.h"

#include <libxml/parser.h>
#include <stdlib.h>
#include <string.h>

// The state of the parser: the object, the attribute's name, its text, and the strings of the item.
typedef struct {
    bl_item item;
    int is_item, is_in_attribute;
    char field[16];
    char text[512];
    size_t length;
    char texts[4][512];
    int64_t count;
    uint64_t digest, first;
    int64_t version;
} reader;

static const char *value(const xmlChar **attributes, const char *name) {
    for (; attributes && attributes[0]; attributes += 2) {
        if (!strcmp((const char *)attributes[0], name)) return (const char *)attributes[1];
    }
    return NULL;
}

static void start(void *context, const xmlChar *name, const xmlChar **attributes) {
    reader *state = context;
    if (!strcmp((const char *)name, "object")) {
        const char *type = value(attributes, "type");
        state->is_item = type && !strcmp(type, "ITEM");
        if (!state->is_item) return;
        memset(&state->item, 0, sizeof state->item);
        state->item.key = bl_xml_key(value(attributes, "id"));
        const char *version = value(attributes, "version");
        state->version = version ? strtoll(version, NULL, 10) : 1;
    } else if (state->is_item && !strcmp((const char *)name, "attribute")) {
        strncpy(state->field, value(attributes, "name"), sizeof state->field - 1);
        state->is_in_attribute = 1;
        state->length = 0;
    } else if (state->is_item && !strcmp((const char *)name, "relationship")) {
        const char *destination = value(attributes, "idrefs");
        if (destination) state->item.folder = bl_xml_key(destination);
    }
}

static void characters(void *context, const xmlChar *text, int length) {
    reader *state = context;
    if (!state->is_in_attribute || state->length + (size_t)length >= sizeof state->text) return;
    memcpy(state->text + state->length, text, (size_t)length);
    state->length += (size_t)length;
}

static void keep_text(reader *state, int index, const char **text, int32_t *length) {
    memcpy(state->texts[index], state->text, state->length + 1);
    *text = state->texts[index];
    *length = (int32_t)state->length;
}

static void end_attribute(reader *state) {
    bl_item *item = &state->item;
    const char *field = state->field, *text = state->text;
    state->text[state->length] = 0;
    state->is_in_attribute = 0;
    if (!strcmp(field, "active")) item->active = text[0] == '1';
    else if (!strcmp(field, "category")) item->category = strtoll(text, NULL, 10);
    else if (!strcmp(field, "code")) keep_text(state, 0, &item->code, &item->code_length);
    else if (!strcmp(field, "created")) item->created = strtod(text, NULL);
    else if (!strcmp(field, "name")) keep_text(state, 1, &item->name, &item->name_length);
    else if (!strcmp(field, "note")) keep_text(state, 2, &item->note, &item->note_length);
    else if (!strcmp(field, "number")) item->number = strtoll(text, NULL, 10);
    else if (!strcmp(field, "price")) item->price = strtod(text, NULL);
    else if (!strcmp(field, "rating")) item->rating = strtod(text, NULL);
    else if (!strcmp(field, "title")) keep_text(state, 3, &item->title, &item->title_length);
}

static void end(void *context, const xmlChar *name) {
    reader *state = context;
    if (state->is_in_attribute) {
        end_attribute(state);
    } else if (state->is_item && !strcmp((const char *)name, "object")) {
        uint64_t row = bl_item_digest(&state->item) * 3 + (uint64_t)state->version;
        state->digest = bl_digest_add(state->digest, row);
        if (!state->count) state->first = state->digest;
        state->count += 1;
        state->is_item = 0;
    }
}

int bl_xml_read(const char *path, int64_t *count, uint64_t *digest, uint64_t *first) {
    xmlSAXHandler handler = { .startElement = start, .endElement = end, .characters = characters };
    reader state = { 0 };
    int rc = xmlSAXUserParseFile(&handler, &state, path);
    *count = state.count;
    *digest = state.digest;
    *first = state.first;
    return rc;
}

const char *bl_xml_version(void) { return LIBXML_DOTTED_VERSION; }
