import Cairn

/// The model of an archive, with every attribute type and every kind of relationship.
///
/// The stores in `Fixtures/Stores` were created with it, so it must not change.
enum KeptModel {
    static var description: ModelDescription {
        var description = ModelDescription([item, document, picture, folder, label, tag])
        description.composites = [
            CompositeDescription(
                "Place",
                [AttributeDescription("town", .string), composite("exact", "Point")]),
            CompositeDescription(
                "Point", [AttributeDescription("x", .double), AttributeDescription("y", .double)]),
        ]
        return description
    }

    private static func composite(_ name: String, _ type: String) -> AttributeDescription {
        var attribute = AttributeDescription(name, .composite)
        attribute.compositeName = type
        return attribute
    }

    private static var item: EntityDescription {
        var item = EntityDescription(
            "Item", isAbstract: true,
            [
                .attribute("title", .string),
                .attribute("rank", .integer64),
                .toOne("folder", "Folder", inverse: "items"),
                .toMany("labels", "Label", inverse: "items", isOrdered: true),
                .toMany("tags", "Tag", inverse: "items"),
            ])
        item.fetchIndexes = [FetchIndexDescription("byTitle", elements: [.init("title")])]
        return item
    }

    private static var document: EntityDescription {
        EntityDescription(
            "Document", superentity: "Item",
            [
                .attribute("aBoolean", .boolean), .attribute("aDate", .date),
                .attribute("aDecimal", .decimal), .attribute("aDouble", .double),
                .attribute("aFloat", .float), .attribute("aShort", .integer16),
                .attribute("aLong", .integer32), .attribute("aLonger", .integer64),
                .attribute("aText", .string), .attribute("aURI", .uri),
                .attribute("aUUID", .uuid), .attribute("bytes", .binary),
                .attribute("shape", .transformable), .attribute(composite("place", "Place")),
                .toOne("cover", "Item"),
                .toOne("original", "Document", inverse: "copies"),
                .toMany("copies", "Document", inverse: "original"),
            ])
    }

    private static var picture: EntityDescription {
        var pixels = AttributeDescription("pixels", .binary)
        pixels.allowsExternalBinaryDataStorage = true
        return EntityDescription(
            "Picture", superentity: "Document",
            [.attribute(pixels), .attribute("width", .integer16)])
    }

    private static var folder: EntityDescription {
        var folder = EntityDescription(
            "Folder",
            [
                .attribute("name", .string, isOptional: false),
                .toMany("items", "Item", inverse: "folder", isOrdered: true),
                .toOne("parent", "Folder", inverse: "children"),
                .toMany("children", "Folder", inverse: "parent"),
                .toMany("neighbours", "Folder", inverse: "neighbours"),
                .toMany("pinned", "Item"),
            ])
        folder.uniquenessConstraints = [["name"]]
        return folder
    }

    private static var label: EntityDescription {
        EntityDescription(
            "Label",
            [
                .attribute("name", .string),
                .toMany("items", "Item", inverse: "labels", isOrdered: true),
            ])
    }

    private static var tag: EntityDescription {
        EntityDescription(
            "Tag", [.attribute("name", .string), .toMany("items", "Item", inverse: "tags")])
    }
}
