import Cairn

/// The model that all rows are measured with: the reference entity of performance.md.
///
/// An item has two integers, two doubles, a Boolean, a date, three texts of 10 to 40 bytes, a text
/// that half of the items lack, and a to-one; an index on `category`, of which about 1,000 items
/// share one. A folder holds about 1,000 items.
enum ReferenceModel {
    /// How many items share a category, and how many are in a folder.
    static let groupSize = 1_000

    /// Compiled once; every stack uses this one.
    static let model = Result { try ManagedObjectModel(description) }

    /// The same with one more entity, in front of all others: these have other numbers.
    static let larger = Result {
        try ManagedObjectModel(
            [EntityDescription("Attachment", [.attribute("name", .string)])] + description)
    }

    /// The same with one more attribute of the items, which is optional.
    static let withRemark = Result {
        var entities = description
        entities[1].properties.append(.attribute("remark", .string))
        return try ManagedObjectModel(entities)
    }

    private static var description: [EntityDescription] {
        var item = EntityDescription(
            "Item",
            [
                .attribute("active", .boolean, isOptional: false),
                .attribute("category", .integer64, isOptional: false),
                .attribute("code", .string, isOptional: false),
                .attribute("created", .date, isOptional: false),
                .toOne("folder", "Folder", inverse: "items"),
                .attribute("name", .string, isOptional: false),
                .attribute("note", .string),
                .attribute("number", .integer64, isOptional: false),
                .attribute("price", .double, isOptional: false),
                .attribute("rating", .double, isOptional: false),
                .attribute("title", .string, isOptional: false),
            ])
        item.fetchIndexes = [
            FetchIndexDescription("byCategory", elements: [.init("category")])
        ]
        let folder = EntityDescription(
            "Folder",
            [
                .toMany("items", "Item", inverse: "folder", deleteRule: .cascade),
                .attribute("name", .string, isOptional: false),
            ])
        return [folder, item]
    }

    /// How many folders, and categories, there are for so many items.
    static func groupCount(for size: Int) -> Int { max(1, size / groupSize) }
}
