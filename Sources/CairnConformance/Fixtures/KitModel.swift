import CairnModel

/// The model of the kit's stores. It contains every attribute type, every kind of relationship,
/// inheritance, and uniqueness constraints.
enum KitModel {
    /// The types that rows hold, with the name of the attribute of ``sample`` that has the type.
    static let attributes: [(name: String, type: AttributeType)] = [
        ("truth", .boolean), ("small", .integer16), ("medium", .integer32), ("large", .integer64),
        ("double", .double), ("float", .float), ("decimal", .decimal), ("date", .date),
        ("text", .string), ("link", .uri), ("token", .uuid), ("bytes", .binary),
        ("archive", .transformable), ("group", .composite),
    ]

    /// The types whose values predicates can compare.
    static var comparable: [(name: String, type: AttributeType)] {
        attributes.filter { $0.type != .transformable && $0.type != .composite }
    }

    /// The types that fetches can sort by.
    static var ordered: [(name: String, type: AttributeType)] {
        comparable.filter { $0.type != .binary }
    }

    /// Returns the model, which is made once.
    static func make() throws(ModelError) -> ManagedObjectModel { try made.get() }

    private static let made = Result { () throws(ModelError) in
        var description = ModelDescription(music + [sample, indexedSample, file, note])
        description.composites = [
            CompositeDescription(
                "Group", [AttributeDescription("first", .string), .init("second", .integer64)])
        ]
        description.configurations = ["Albums": ["Album", "Genre", "Label", "Track", "LiveTrack"]]
        return try ManagedObjectModel(description)
    }

    /// An entity like the sample, with an index for each attribute.
    private static var indexedSample: EntityDescription {
        let indexed = comparable.map { (name, type) in
            var attribute = AttributeDescription(name, type)
            attribute.isIndexed = true
            return PropertyDescription.attribute(attribute)
        }
        return EntityDescription("IndexedSample", indexed)
    }

    private static var sample: EntityDescription {
        var properties = attributes.map { (name, type) in
            var attribute = AttributeDescription(name, type)
            if type == .composite { attribute.compositeName = "Group" }
            return PropertyDescription.attribute(attribute)
        }
        properties.append(.attribute("name", .string))
        properties.append(.toOne("next", "Sample"))
        return EntityDescription("Sample", properties)
    }

    /// An entity with bytes that an engine may store outside the row.
    private static var file: EntityDescription {
        var blob = AttributeDescription("blob", .binary)
        blob.allowsExternalBinaryDataStorage = true
        return EntityDescription("File", [.attribute("name", .string), .attribute(blob)])
    }

    private static var note: EntityDescription {
        var text = AttributeDescription("text", .string)
        text.preservesValueInHistoryOnDeletion = true
        return EntityDescription("Note", [.attribute(text)])
    }

    private static var music: [EntityDescription] {
        var track = EntityDescription(
            "Track",
            [
                .attribute("code", .string), .attribute("disc", .integer16),
                .attribute("position", .integer32), .attribute("title", .string),
                .attribute("length", .double),
                .toOne("album", "Album", inverse: "tracks"),
                .toMany("tags", "Tag", inverse: "tracks", isOrdered: true),
                .toOne("coverOf", "Tag", inverse: "covers"),
            ])
        track.uniquenessConstraints = [["code"], ["disc", "position"]]
        track.fetchIndexes = [.init("byTitle", elements: [.init("title")])]
        var live = EntityDescription(
            "LiveTrack", superentity: "Track", [.attribute("venue", .string)])
        live.uniquenessConstraints = [["venue"]]
        var album = EntityDescription(
            "Album",
            [
                .attribute("name", .string), .attribute("year", .integer32),
                .toMany("tracks", "Track", inverse: "album", isOrdered: true),
                .toMany("genres", "Genre", inverse: "albums"),
                .toMany("related", "Album"),
                .toOne("label", "Label", inverse: "albums"),
            ])
        album.fetchIndexes = [.init("byYear", elements: [.init("year")])]
        return [track, live, album] + others
    }

    private static var others: [EntityDescription] {
        var tag = EntityDescription(
            "Tag",
            [
                .attribute("name", .string), .attribute("seal", .binary),
                .toMany("tracks", "Track", inverse: "tags", isOrdered: true),
                .toOne("best", "Track"),
                .toMany("covers", "Track", inverse: "coverOf", deleteRule: .noAction),
            ])
        tag.uniquenessConstraints = [["seal"]]
        return [
            tag,
            EntityDescription(
                "Genre",
                [.attribute("name", .string), .toMany("albums", "Album", inverse: "genres")]),
            EntityDescription(
                "Label",
                [
                    .attribute("name", .string), .toMany("albums", "Album", inverse: "label"),
                    .toOne("parent", "Label"), .toOne("boss", "Person", inverse: "leads"),
                ]),
            EntityDescription(
                "Person",
                [
                    .attribute("name", .string),
                    .toMany("friends", "Person", inverse: "friends"),
                    .toOne("leads", "Label", inverse: "boss"),
                    .toOne("mentor", "Person", inverse: "pupils"),
                    .toMany("pupils", "Person", inverse: "mentor"),
                ]),
            EntityDescription("Work", isAbstract: true, [.attribute("title", .string)]),
        ]
    }
}
