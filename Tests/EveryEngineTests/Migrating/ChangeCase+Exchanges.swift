import Cairn

/// Models in which entities or properties of one form exchange their names by renaming identifiers.
extension ChangeCase {
    /// The version hashes of the two models are equal, so no store shows that it is of the old one.
    static let unnoticedExchanges: [ChangeCase] = exchanges.map { exchange in
        ChangeCase(exchange.words, exchange.entities, exchange.later { _ in })
    }

    /// The same exchanges, with a hash modifier of the entities or of one property.
    static let exchangeCases: [ChangeCase] = exchanges.flatMap { exchange in
        let ofEntities = ChangeCase(
            exchange.words, exchange.entities, exchange.later { $0.versionHashModifier = "2" })
        let ofProperty = ChangeCase(
            exchange.words + ", with a modifier of one of them", exchange.entities,
            exchange.later { $0.modifyFirst(in: exchange.identifiers[$0.name] ?? [:]) })
        return exchange.identifiers.values.contains(where: \.isEmpty)
            ? [ofEntities] : [ofEntities, ofProperty]
    }

    /// Entities, and the former name of each of their properties that is renamed.
    private struct Exchange {
        let words: String
        let entities: [EntityDescription]
        let identifiers: [String: [String: String]]
        /// The former names of entities that are renamed.
        var entityIdentifiers: [String: String] = [:]

        func later(_ change: (inout EntityDescription) -> Void) -> [EntityDescription] {
            entities.map { entity in
                var entity = entity
                guard let names = identifiers[entity.name] else { return entity }
                entity.renamingIdentifier = entityIdentifiers[entity.name]
                entity.properties = entity.properties.map { $0.identified(by: names[$0.name]) }
                change(&entity)
                return entity
            }
        }
    }

    private static let texts = ["a", "b", "c"].map { PropertyDescription.attribute($0, .string) }

    private static func persons(_ properties: PropertyDescription...) -> [EntityDescription] {
        [EntityDescription("Person", texts + properties)]
    }

    private static func books(
        _ books: [PropertyDescription], _ authors: [PropertyDescription]
    ) -> [EntityDescription] {
        [EntityDescription("Author", texts + authors), EntityDescription("Book", [title] + books)]
    }

    private static let exchanges: [Exchange] = [
        Exchange(
            words: "two attributes are exchanged", entities: persons(),
            identifiers: ["Person": ["a": "b", "b": "a"]]),
        Exchange(
            words: "three attributes are exchanged", entities: persons(),
            identifiers: ["Person": ["a": "b", "b": "c", "c": "a"]]),
        Exchange(
            words: "two attributes that are kept in files are exchanged",
            entities: persons(.attribute(.external("x")), .attribute(.external("y"))),
            identifiers: ["Person": ["x": "y", "y": "x"]]),
        Exchange(
            words: "two attributes of a superentity are exchanged",
            entities: persons() + [EntityDescription("Child", superentity: "Person", [title])],
            identifiers: ["Person": ["a": "b", "b": "a"]]),
        Exchange(
            words: "two to-ones are exchanged",
            entities: books([.toOne("author", "Author"), .toOne("editor", "Author")], []),
            identifiers: ["Book": ["author": "editor", "editor": "author"]]),
        Exchange(
            words: "two to-ones are exchanged, with their inverses",
            entities: books(
                [
                    .toOne("author", "Author", inverse: "books"),
                    .toOne("editor", "Author", inverse: "edited"),
                ],
                [
                    .toMany("books", "Book", inverse: "author", isOrdered: true),
                    .toMany("edited", "Book", inverse: "editor", isOrdered: true),
                ]),
            identifiers: [
                "Book": ["author": "editor", "editor": "author"],
                "Author": ["books": "edited", "edited": "books"],
            ]),
        Exchange(
            words: "two to-manys without inverses are exchanged",
            entities: books([.toMany("authors", "Author"), .toMany("editors", "Author")], []),
            identifiers: ["Book": ["authors": "editors", "editors": "authors"]]),
        Exchange(
            words: "two many-to-manys are exchanged, with their inverses",
            entities: books(
                [
                    .toMany("authors", "Author", inverse: "books", isOrdered: true),
                    .toMany("editors", "Author", inverse: "edited", isOrdered: true),
                ],
                [
                    .toMany("books", "Book", inverse: "authors"),
                    .toMany("edited", "Book", inverse: "editors"),
                ]),
            identifiers: [
                "Book": ["authors": "editors", "editors": "authors"],
                "Author": ["books": "edited", "edited": "books"],
            ]),
        Exchange(
            words: "a many-to-many is exchanged with its inverse",
            entities: persons(
                .toMany("followers", "Person", inverse: "following"),
                .toMany("following", "Person", inverse: "followers")),
            identifiers: ["Person": ["followers": "following", "following": "followers"]]),
        Exchange(
            words: "an ordered many-to-many is exchanged with its inverse",
            entities: persons(
                .toMany("followers", "Person", inverse: "following", isOrdered: true),
                .toMany("following", "Person", inverse: "followers", isOrdered: true)),
            identifiers: ["Person": ["followers": "following", "following": "followers"]]),
        Exchange(
            words: "a one-to-one is exchanged with its inverse",
            entities: persons(
                .toOne("mentor", "Person", inverse: "pupil"),
                .toOne("pupil", "Person", inverse: "mentor")),
            identifiers: ["Person": ["mentor": "pupil", "pupil": "mentor"]]),
        Exchange(
            words: "two entities are exchanged",
            entities: [EntityDescription("Cat", texts), EntityDescription("Dog", texts)],
            identifiers: ["Cat": [:], "Dog": [:]], entityIdentifiers: ["Cat": "Dog", "Dog": "Cat"]),
        Exchange(
            words: "three entities that lead to each other are exchanged",
            entities: [
                EntityDescription("Ant", texts + [.toOne("next", "Bee")]),
                EntityDescription("Bee", texts + [.toOne("next", "Cat")]),
                EntityDescription("Cat", texts + [.toOne("next", "Ant")]),
            ],
            identifiers: ["Ant": [:], "Bee": [:], "Cat": [:]],
            entityIdentifiers: ["Ant": "Bee", "Bee": "Cat", "Cat": "Ant"]),
        Exchange(
            words: "three to-ones are exchanged, with their inverses",
            entities: books(
                [
                    .toOne("author", "Author", inverse: "books"),
                    .toOne("editor", "Author", inverse: "edited"),
                    .toOne("critic", "Author", inverse: "judged"),
                ],
                [
                    .toMany("books", "Book", inverse: "author", isOrdered: true),
                    .toMany("edited", "Book", inverse: "editor", isOrdered: true),
                    .toMany("judged", "Book", inverse: "critic", isOrdered: true),
                ]),
            identifiers: [
                "Book": ["author": "editor", "editor": "critic", "critic": "author"],
                "Author": ["books": "edited", "edited": "judged", "judged": "books"],
            ]),
    ]
}

extension EntityDescription {
    /// Gives the first of these properties a hash modifier.
    fileprivate mutating func modifyFirst(in names: [String: String]) {
        guard let name = names.keys.min(),
            let index = properties.firstIndex(where: { $0.name == name })
        else { return }
        switch properties[index] {
        case .attribute(var it):
            it.versionHashModifier = "2"
            properties[index] = .attribute(it)
        case .relationship(var it):
            it.versionHashModifier = "2"
            properties[index] = .relationship(it)
        case .fetchedProperty: break
        }
    }
}

extension PropertyDescription {
    fileprivate func identified(by identifier: String?) -> PropertyDescription {
        switch self {
        case .attribute(var it):
            it.renamingIdentifier = identifier
            return .attribute(it)
        case .relationship(var it):
            it.renamingIdentifier = identifier
            return .relationship(it)
        case .fetchedProperty: return self
        }
    }
}
