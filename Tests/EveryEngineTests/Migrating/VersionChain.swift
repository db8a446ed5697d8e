import Cairn
import Testing

/// Three versions of a model. A store of the first one is migrated to the last one, in which every root
/// entity has another attribute, so that its version hash differs from that of the first version.
struct VersionChain: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let versions: [[EntityDescription]]

    init(_ words: String, _ versions: [EntityDescription]...) {
        testDescription = words
        self.versions = versions.enumerated().map { index, entities in
            entities.map { entity in
                var entity = entity
                if index == versions.count - 1, entity.superentity == nil {
                    entity.properties.append(.attribute("last", .string))
                }
                return entity
            }
        }
    }

    private init(
        attributes words: String, _ first: [AttributeDescription],
        _ second: [AttributeDescription], _ third: [AttributeDescription]
    ) {
        func note(_ attributes: [AttributeDescription]) -> [EntityDescription] {
            [EntityDescription("Note", attributes.map { .attribute($0) })]
        }
        self.init(words, note(first), note(second), note(third))
    }

    /// A direct migration would treat at least one property differently.
    static let differing = attributes + relationships + entities

    // MARK: Attributes

    private static func text(
        _ name: String, isOptional: Bool = true, defaultValue: Value = .null
    ) -> AttributeDescription {
        var attribute = AttributeDescription(name, .string)
        (attribute.isOptional, attribute.defaultValue) = (isOptional, defaultValue)
        return attribute
    }

    private static let attributes = [
        VersionChain(
            attributes: "a new attribute gets the former name of a renamed one", [text("foo")],
            [.renamed("bar", .string, from: "foo")], [text("bar"), text("foo")]),
        VersionChain(
            attributes: "two attributes exchange their names in two steps",
            [text("a"), text("b")],
            [.renamed("b", .string, from: "a"), .renamed("c", .string, from: "b")],
            [.renamed("a", .string, from: "c"), text("b"), text("d")]),
        VersionChain(
            attributes: "an attribute is removed and added again", [text("foo"), text("kept")],
            [text("kept")], [text("foo"), text("kept")]),
        VersionChain(
            attributes: "the default value of an added attribute changes", [text("kept")],
            [text("kept"), text("state", isOptional: false, defaultValue: "old")],
            [
                text("kept"), text("state", isOptional: false, defaultValue: "new"),
                text("other"),
            ]),
        VersionChain(
            attributes: "an attribute is required for one version",
            [text("foo")], [text("foo", isOptional: false, defaultValue: "filled")], [text("foo")]),
        VersionChain(
            attributes: "the default value of an attribute that became required changes",
            [text("foo")], [text("foo", isOptional: false, defaultValue: "old")],
            [text("foo", isOptional: false, defaultValue: "new"), text("other")]),
        VersionChain(
            attributes: "an attribute is transient for one version", [text("foo"), text("kept")],
            [
                {
                    var foo = text("foo")
                    foo.isTransient = true
                    return foo
                }(), text("kept"),
            ], [text("foo"), text("kept")]),
        VersionChain(
            attributes: "numbers become texts by way of another type",
            [AttributeDescription("foo", .boolean)], [AttributeDescription("foo", .integer16)],
            [text("foo")]),
        VersionChain(
            attributes: "an attribute that is kept in files gets a new one's name",
            [.external("foo")],
            [
                {
                    var bar = AttributeDescription.external("bar")
                    bar.renamingIdentifier = "foo"
                    return bar
                }()
            ], [.external("bar"), .external("foo")]),
    ]

    // MARK: Relationships

    private static func pair(
        _ name: String, _ inverse: String, isOrdered: Bool = false,
        from old: (String, String)? = nil,
        and more: [PropertyDescription] = []
    ) -> [EntityDescription] {
        var parts = PropertyDescription.toMany(name, "Part", inverse: inverse, isOrdered: isOrdered)
        var owner = PropertyDescription.toOne(inverse, "Owner", inverse: name)
        if let old {
            parts = .relationship(.renamed(parts, from: old.0))
            owner = .relationship(.renamed(owner, from: old.1))
        }
        return [
            EntityDescription("Owner", [.attribute("name", .string), parts]),
            EntityDescription("Part", [.attribute("name", .string), owner] + more),
        ]
    }

    private static let relationships = [
        VersionChain(
            "a new to-one gets the former name of a renamed one",
            [
                EntityDescription("Part", [.toOne("foo", "Owner")]),
                EntityDescription("Owner", [.attribute("name", .string)]),
            ],
            [
                EntityDescription(
                    "Part", [.relationship(.renamed(.toOne("bar", "Owner"), from: "foo"))]),
                EntityDescription("Owner", [.attribute("name", .string)]),
            ],
            [
                EntityDescription("Part", [.toOne("bar", "Owner"), .toOne("foo", "Owner")]),
                EntityDescription("Owner", [.attribute("name", .string)]),
            ]),
        VersionChain(
            "members lose their order for one version", pair("parts", "owner", isOrdered: true),
            pair("parts", "owner"), pair("parts", "owner", isOrdered: true)),
        VersionChain(
            "a relationship is renamed, and an attribute gets its former name",
            pair("parts", "owner"), pair("pieces", "holder", from: ("parts", "owner")),
            pair("pieces", "holder", and: [.attribute("owner", .string)])),
        VersionChain(
            "a relationship with its inverse is removed and added again", pair("parts", "owner"),
            [
                EntityDescription("Owner", [.attribute("name", .string)]),
                EntityDescription("Part", [.attribute("name", .string)]),
            ], pair("parts", "owner")),
        VersionChain(
            "a many-to-many is renamed, and a new one gets its former name",
            [
                EntityDescription("Tag", [.toMany("notes", "Note", inverse: "tags")]),
                EntityDescription("Note", [.toMany("tags", "Tag", inverse: "notes")]),
            ],
            [
                EntityDescription(
                    "Tag",
                    [
                        .relationship(
                            .renamed(.toMany("pages", "Note", inverse: "marks"), from: "notes"))
                    ]),
                EntityDescription(
                    "Note",
                    [
                        .relationship(
                            .renamed(.toMany("marks", "Tag", inverse: "pages"), from: "tags"))
                    ]),
            ],
            [
                EntityDescription(
                    "Tag",
                    [
                        .toMany("pages", "Note", inverse: "marks"),
                        .toMany("notes", "Note", inverse: "tags"),
                    ]),
                EntityDescription(
                    "Note",
                    [
                        .toMany("marks", "Tag", inverse: "pages"),
                        .toMany("tags", "Tag", inverse: "notes"),
                    ]),
            ]),
    ]

    // MARK: Entities

    private static let name = PropertyDescription.attribute("name", .string)

    private static let entities = [
        VersionChain(
            "a new entity gets the former name of a renamed one",
            [EntityDescription("Foo", [name])],
            [EntityDescription("Bar", [name]).renamed(from: "Foo")],
            [EntityDescription("Bar", [name]), EntityDescription("Foo", [name])]),
        VersionChain(
            "an entity is removed and added again",
            [EntityDescription("Foo", [name]), EntityDescription("Kept", [name])],
            [EntityDescription("Kept", [name])],
            [EntityDescription("Foo", [name]), EntityDescription("Kept", [name])]),
        VersionChain(
            "an entity leaves a hierarchy for one version",
            [
                EntityDescription("Base", [name]),
                EntityDescription("Leaf", superentity: "Base", [.attribute("x", .string)]),
            ],
            [
                EntityDescription("Base", [name]),
                EntityDescription("Leaf", [.attribute("x", .string)]),
            ],
            [
                EntityDescription("Base", [name]),
                EntityDescription(
                    "Leaf", [.attribute("name", .string), .attribute("x", .string)]),
            ]),
        VersionChain(
            "destinations leave the hierarchy of a relationship",
            [
                EntityDescription("Base", [name]),
                EntityDescription("Holder", [.toOne("item", "Base")]),
                EntityDescription("Leaf", superentity: "Base", [.attribute("x", .string)]),
            ],
            [
                EntityDescription("Base", [name]),
                EntityDescription("Holder", [.toOne("item", "Base")]),
                EntityDescription("Other", superentity: "Base", [.attribute("x", .string)]),
            ],
            [
                EntityDescription("Base", [name]),
                EntityDescription("Holder", [.toOne("item", "Base")]),
                EntityDescription("Leaf", superentity: "Base", [.attribute("x", .string)]),
            ]),
    ]

    /// A direct migration has the same result.
    static let equal = [
        VersionChain(
            attributes: "an attribute is added in each version", [text("a")],
            [text("a"), text("b")],
            [text("a"), text("b"), text("c")]),
        VersionChain(
            attributes: "an attribute is renamed and keeps its identifier", [text("a")],
            [.renamed("b", .string, from: "a")], [.renamed("b", .string, from: "a"), text("c")]),
        VersionChain(
            attributes: "an attribute is renamed and gets its former name again",
            [text("foo"), text("kept")],
            [.renamed("bar", .string, from: "foo"), text("kept")], [text("foo"), text("kept")]),
        VersionChain(
            attributes: "an attribute is removed in each version",
            [text("a"), text("b"), text("c")],
            [text("a"), text("b")], [text("a")]),
        VersionChain(
            attributes: "a type changes once", [AttributeDescription("a", .integer16)],
            [AttributeDescription("a", .integer64)],
            [AttributeDescription("a", .integer64), text("b")]),
        VersionChain(
            attributes: "an attribute is added with the same default value", [text("a")],
            [text("a"), text("b", isOptional: false, defaultValue: "x")],
            [text("a"), text("b", isOptional: false, defaultValue: "x"), text("c")]),
        VersionChain(
            "relationships stay", ChangeCase.library,
            ChangeCase.library + [EntityDescription("Aaa", [name])],
            ChangeCase.library + [
                EntityDescription("Aaa", [name]), EntityDescription("Bbb", [name]),
            ]),
        VersionChain(
            "relationships are renamed", pair("parts", "owner", isOrdered: true),
            pair("pieces", "holder", isOrdered: true, from: ("parts", "owner")),
            pair(
                "pieces", "holder", isOrdered: true, from: ("parts", "owner"),
                and: [.attribute("size", .double)])),
    ]
}
