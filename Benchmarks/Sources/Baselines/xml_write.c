#include "xml.h"

#include <libxml/xmlwriter.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void attribute(xmlTextWriter *writer, const char *name, const char *type, const char *text) {
    xmlTextWriterStartElement(writer, BAD_CAST "attribute");
    xmlTextWriterWriteAttribute(writer, BAD_CAST "name", BAD_CAST name);
    xmlTextWriterWriteAttribute(writer, BAD_CAST "type", BAD_CAST type);
    xmlTextWriterWriteString(writer, BAD_CAST text);
    xmlTextWriterFullEndElement(writer);
}

static void integer(xmlTextWriter *writer, const char *name, int64_t value) {
    char text[32];
    snprintf(text, sizeof text, "%lld", (long long)value);
    attribute(writer, name, "int64", text);
}

static void number(xmlTextWriter *writer, const char *name, const char *type, double value) {
    char text[64];
    // 17 digits are enough to read back the same number. A date is written with 20 decimals, as in Core
    // Data.
    snprintf(text, sizeof text, strcmp(type, "date") ? "%.17g" : "%.20f", value);
    attribute(writer, name, type, text);
}

static void relationship(
    xmlTextWriter *writer, const char *name, const char *type, const char *destination,
    const char *members) {
    xmlTextWriterStartElement(writer, BAD_CAST "relationship");
    xmlTextWriterWriteAttribute(writer, BAD_CAST "name", BAD_CAST name);
    xmlTextWriterWriteAttribute(writer, BAD_CAST "type", BAD_CAST type);
    xmlTextWriterWriteAttribute(writer, BAD_CAST "destination", BAD_CAST destination);
    xmlTextWriterWriteAttribute(writer, BAD_CAST "idrefs", BAD_CAST members);
    xmlTextWriterFullEndElement(writer);
}

static void start_object(xmlTextWriter *writer, const char *type, int64_t id_number) {
    char id[32];
    snprintf(id, sizeof id, "z%lld", (long long)id_number);
    xmlTextWriterStartElement(writer, BAD_CAST "object");
    xmlTextWriterWriteAttribute(writer, BAD_CAST "type", BAD_CAST type);
    xmlTextWriterWriteAttribute(writer, BAD_CAST "id", BAD_CAST id);
}

static int64_t key_of(const bl_item *items, int64_t index) {
    return items[index].key ? items[index].key : index + 1;
}

// Records the first item of each folder, and for each item the next item in its folder.
static void list_members(
    const bl_item *items, int64_t count, int64_t folders, int64_t *firsts, int64_t *nexts) {
    for (int64_t key = 0; key <= folders; key++) firsts[key] = -1;
    for (int64_t index = count - 1; index >= 0; index--) {
        nexts[index] = firsts[items[index].folder];
        firsts[items[index].folder] = index;
    }
}

static void write_folder(
    xmlTextWriter *writer, int64_t key, const bl_item *items, int64_t member,
    const int64_t *nexts, xmlBuffer *members) {
    char text[48];
    start_object(writer, "FOLDER", bl_xml_folder_id(key));
    snprintf(text, sizeof text, "folder %lld", (long long)key - 1);
    attribute(writer, "name", "string", text);
    xmlBufferEmpty(members);
    for (int64_t index = member; index >= 0; index = nexts[index]) {
        snprintf(text, sizeof text, xmlBufferLength(members) ? " z%lld" : "z%lld",
            (long long)bl_xml_item_id(key_of(items, index)));
        xmlBufferCat(members, BAD_CAST text);
    }
    relationship(
        writer, "items", "0/0", "ITEM", (const char *)xmlBufferContent(members));
    xmlTextWriterEndElement(writer);
}

static void write_item(xmlTextWriter *writer, const bl_item *item, int64_t key) {
    char folder[32];
    start_object(writer, "ITEM", bl_xml_item_id(key));
    if (item->version > 1) {
        char version[16];
        snprintf(version, sizeof version, "%d", item->version);
        xmlTextWriterWriteAttribute(writer, BAD_CAST "version", BAD_CAST version);
    }
    attribute(writer, "active", "bool", item->active ? "1" : "0");
    integer(writer, "category", item->category);
    attribute(writer, "code", "string", item->code);
    number(writer, "created", "date", item->created);
    snprintf(folder, sizeof folder, "z%lld", (long long)bl_xml_folder_id(item->folder));
    relationship(writer, "folder", "1/1", "FOLDER", folder);
    attribute(writer, "name", "string", item->name);
    if (item->note) attribute(writer, "note", "string", item->note);
    integer(writer, "number", item->number);
    number(writer, "price", "double", item->price);
    number(writer, "rating", "double", item->rating);
    attribute(writer, "title", "string", item->title);
    xmlTextWriterEndElement(writer);
}

int bl_xml_write(
    const char *path, const char *head, const bl_item *items, int64_t count, int64_t first_folder,
    int64_t folders) {
    xmlBuffer *buffer = xmlBufferCreate(), *members = xmlBufferCreate();
    xmlBufferSetAllocationScheme(buffer, XML_BUFFER_ALLOC_DOUBLEIT);
    xmlTextWriter *writer = xmlNewTextWriterMemory(buffer, 0);
    xmlTextWriterSetIndent(writer, 1);
    xmlTextWriterWriteRaw(writer, BAD_CAST head);
    int64_t *firsts = malloc(((size_t)folders + 1) * sizeof *firsts);
    int64_t *nexts = malloc(((size_t)count + 1) * sizeof *nexts);
    list_members(items, count, folders, firsts, nexts);
    for (int64_t key = first_folder; key <= folders; key++) {
        write_folder(writer, key, items, firsts[key], nexts, members);
    }
    free(firsts);
    free(nexts);
    for (int64_t index = 0; index < count; index++) {
        write_item(writer, &items[index], key_of(items, index));
    }
    xmlTextWriterWriteRaw(writer, BAD_CAST "</database>\n");
    xmlTextWriterFlush(writer);
    int rc = bl_file_write(path, xmlBufferContent(buffer), (size_t)xmlBufferLength(buffer));
    xmlFreeTextWriter(writer);
    xmlBufferFree(buffer);
    xmlBufferFree(members);
    return rc;
}
