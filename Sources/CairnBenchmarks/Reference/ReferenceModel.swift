import Cairn

/// The model of all rows: the reference entity of performance.md.
///
/// An item has two integers, two doubles, a Boolean, a date, three strings of 10 to 40 bytes, a string that
/// is `nil` for half of the items, and a to-one relationship. About 1,000 items share each value of the
/// indexed attribute `category`. A folder contains about 1,000 items.
package enum ReferenceModel {
    /// The number of items in a category, and in a folder.
    static let groupSize = 1_000

    /// The model, compiled once for all stacks.
    package static let model = Result { try ManagedObjectModel(description) }

    /// The model with one more entity before all others, which therefore have different numbers.
    static let larger = Result {
        try ManagedObjectModel(
            [EntityDescription("Attachment", [.attribute("name", .string)])] + description)
    }

    /// The model with one more, optional attribute of the items.
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

    /// Returns the number of folders, and of categories, for the given number of items.
    package static func groupCount(for size: Int) -> Int { max(1, size / groupSize) }
}
