import CairnModel

/// A model with every form of relationship, which tests change.
enum LibraryModel {
    static let entities: [EntityDescription] = [
        EntityDescription(
            "Author",
            [
                .attribute("name", .string), .attribute("born", .date),
                .toMany("books", "Book", inverse: "author"),
                .toOne("agent", "Agent", inverse: "client"),
            ]),
        EntityDescription("Agent", [.toOne("client", "Author", inverse: "agent")]),
        EntityDescription(
            "Book",
            [
                .attribute("title", .string), .attribute("pages", .integer32),
                .attribute("price", .decimal),
                .toOne("author", "Author", inverse: "books"),
                .toOne("sequelTo", "Book"),
                .toMany("chapters", "Chapter", inverse: "book", isOrdered: true),
                .toMany("tags", "Tag", inverse: "books"),
                .toMany("shelves", "Shelf", inverse: "books", isOrdered: true),
            ]),
        EntityDescription(
            "Comic", superentity: "Book",
            [.attribute("artist", .string), .attribute("note", .string)]),
        EntityDescription(
            "Novel", superentity: "Book",
            [.attribute("genre", .string), .attribute("note", .string)]),
        EntityDescription(
            "Chapter",
            [.attribute("heading", .string), .toOne("book", "Book", inverse: "chapters")]),
        EntityDescription("Shelf", [.toMany("books", "Book", inverse: "shelves", isOrdered: true)]),
        EntityDescription(
            "Tag",
            [
                .attribute("word", .string), .toMany("books", "Book", inverse: "tags"),
                .toMany("related", "Tag", inverse: "related"),
                .toMany("broader", "Tag", inverse: "narrower"),
                .toMany("narrower", "Tag", inverse: "broader"),
            ]),
    ]

    /// Returns the entities after some changes.
    static func changed(
        _ entities: [EntityDescription] = entities, _ changes: Change...
    ) -> [EntityDescription] {
        changes.reduce(entities) { $1.apply($0) }
    }
}

/// A change to a model.
struct Change: Sendable {
    let apply: @Sendable ([EntityDescription]) -> [EntityDescription]

    static func entity(
        _ name: String, _ edit: @escaping @Sendable (inout EntityDescription) -> Void
    ) -> Change {
        Change { entities in
            entities.map { entity in
                var entity = entity
                if entity.name == name { edit(&entity) }
                return entity
            }
        }
    }

    static func add(_ entity: EntityDescription) -> Change { Change { $0 + [entity] } }

    static func remove(_ name: String) -> Change { Change { $0.filter { $0.name != name } } }

    /// Renames an entity and retargets every relationship to it.
    static func rename(_ name: String, to new: String) -> Change {
        Change { entities in
            entities.map { entity in
                var entity = entity
                if entity.name == name {
                    entity.renamingIdentifier = name
                    entity.name = new
                }
                if entity.superentity == name { entity.superentity = new }
                entity.properties = entity.properties.map { property in
                    guard case .relationship(var it) = property, it.destination == name else {
                        return property
                    }
                    it.destination = new
                    return .relationship(it)
                }
                return entity
            }
        }
    }

    static func add(_ property: PropertyDescription, to entity: String) -> Change {
        .entity(entity) { $0.properties.append(property) }
    }

    static func remove(_ property: String, of entity: String) -> Change {
        .entity(entity) { $0.properties.removeAll { $0.name == property } }
    }

    static func attribute(
        _ name: String, of entity: String,
        _ edit: @escaping @Sendable (inout AttributeDescription) -> Void
    ) -> Change {
        .entity(entity) { entity in
            entity.properties = entity.properties.map { property in
                guard case .attribute(var it) = property, it.name == name else { return property }
                edit(&it)
                return .attribute(it)
            }
        }
    }

    static func relationship(
        _ name: String, of entity: String,
        _ edit: @escaping @Sendable (inout RelationshipDescription) -> Void
    ) -> Change {
        .entity(entity) { entity in
            entity.properties = entity.properties.map { property in
                guard case .relationship(var it) = property, it.name == name else {
                    return property
                }
                edit(&it)
                return .relationship(it)
            }
        }
    }

    static func renameAttribute(_ name: String, of entity: String, to new: String) -> Change {
        .attribute(name, of: entity) {
            $0.renamingIdentifier = name
            $0.name = new
        }
    }
}

extension EntityDescription {
    func with(_ edit: (inout EntityDescription) -> Void) -> EntityDescription {
        var copy = self
        edit(&copy)
        return copy
    }
}
