import Cairn

extension RealWorld {
    /// The notes model. Folders can contain folders, contain notes in order, and may have a note as a cover.
    /// Each tag can be on many notes. A note refers to a topic, which may be in another store.
    package static let model: ManagedObjectModel = {
        do {
            var description = ModelDescription([item, folder, note, memo, tag, topic])
            description.configurations = [
                "Notes": ["Item", "Folder", "Note", "Memo", "Tag"], "Topics": ["Item", "Topic"],
            ]
            return try ManagedObjectModel(description)
        } catch {
            preconditionFailure("the tests' model is wrong: \(error)")
        }
    }()

    private static let item = EntityDescription(
        "Item", isAbstract: true,
        [
            .attribute("number", .integer64, isOptional: false),
            .attribute("text", .string),
            .attribute("rank", .integer32, isOptional: false, defaultValue: 0),
        ])

    private static let folder = EntityDescription(
        "Folder", superentity: "Item",
        [
            .toMany("notes", "Note", inverse: "folder", isOrdered: true, deleteRule: .cascade),
            .toOne("cover", "Note", inverse: "covers"),
            .toOne("parent", "Folder", inverse: "children"),
            .toMany("children", "Folder", inverse: "parent", deleteRule: .cascade),
        ])

    private static let note = EntityDescription(
        "Note", superentity: "Item",
        [
            .toOne("folder", "Folder", inverse: "notes"),
            .toOne("covers", "Folder", inverse: "cover"),
            .toMany("tags", "Tag", inverse: "notes"),
            .reference("topic", .integer64, to: "Topic", by: "number"),
        ])

    private static let memo = EntityDescription("Memo", superentity: "Note", [])

    private static var topic: EntityDescription {
        var topic = EntityDescription("Topic", superentity: "Item", [])
        topic.uniquenessConstraints = [["number"]]
        return topic
    }

    private static let tag = EntityDescription(
        "Tag", superentity: "Item", [.toMany("notes", "Note", inverse: "tags")])
}
