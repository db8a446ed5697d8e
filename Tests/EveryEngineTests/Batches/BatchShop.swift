import Cairn
import CairnTestSupport

/// A model with every delete rule, and stores of it.
enum BatchShop {
    static var model: ManagedObjectModel {
        get throws {
            var price = AttributeDescription("price", .double)
            price.isOptional = false
            price.defaultValue = .double(10)
            price.validationRules = [.minimum(.double(0))]
            var books = RelationshipDescription.toMany("books", "Book", inverse: "author")
            books.deleteRule = .cascade
            var loans = RelationshipDescription.toMany("loans", "Loan", inverse: "book")
            loans.deleteRule = .deny
            var owner = RelationshipDescription.toOne("author", "Author", inverse: "letters")
            owner.isOptional = false
            var author = EntityDescription(
                "Author",
                [
                    .attribute("name", .string), .attribute("born", .integer32),
                    .relationship(books), .toMany("letters", "Letter", inverse: "author"),
                ])
            author.uniquenessConstraints = [["name"]]
            return try ManagedObjectModel([
                author,
                EntityDescription(
                    "Book",
                    [
                        .attribute("title", .string), .attribute(price),
                        .toOne("author", "Author", inverse: "books"),
                        .toMany("reviews", "Review", inverse: "book"), .relationship(loans),
                        .toMany("tags", "Tag", inverse: "books"),
                    ]),
                EntityDescription("Atlas", superentity: "Book", [.attribute("scale", .integer32)]),
                EntityDescription(
                    "Review",
                    [.attribute("text", .string), .toOne("book", "Book", inverse: "reviews")]),
                EntityDescription("Loan", [.toOne("book", "Book", inverse: "loans")]),
                EntityDescription("Letter", [.relationship(owner)]),
                EntityDescription(
                    "Tag",
                    [.attribute("name", .string), .toMany("books", "Book", inverse: "tags")]),
            ])
        }
    }

    /// Saves objects that a seed decides.
    static func fill(_ coordinator: PersistentStoreCoordinator, seed: UInt64) throws {
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            var random = SeededRandom(seed: seed)
            var objects: [String: [ManagedObject]] = [:]
            func insert(_ entity: String, _ values: [String: Any?]) throws {
                let object = try context.insertNewObject(forEntityName: entity)
                for (name, value) in values { try object.setValue(value, forKey: name) }
                objects[entity == "Atlas" ? "Book" : entity, default: []].append(object)
            }
            func some(_ entity: String, _ chance: Double = 0.8) -> ManagedObject? {
                Double.random(in: 0..<1, using: &random) < chance
                    ? objects[entity]?.randomElement(using: &random) : nil
            }
            for number in 0..<5 { try insert("Author", ["name": "A\(number)", "born": number]) }
            for number in 0..<4 { try insert("Tag", ["name": "T\(number)"]) }
            for number in 0..<30 {
                let tags = Set([some("Tag"), some("Tag")].compactMap(\.self))
                try insert(
                    Bool.random(using: &random) ? "Book" : "Atlas",
                    [
                        "title": "B\(number)", "author": some("Author"), "tags": tags,
                        "price": Double(Int.random(in: 0..<20, using: &random)),
                    ])
            }
            for number in 0..<20 {
                try insert("Review", ["text": "R\(number)", "book": some("Book")])
            }
            for _ in 0..<3 { try insert("Loan", ["book": some("Book", 0.9)]) }
            for _ in 0..<2 { try insert("Letter", ["author": some("Author", 1)]) }
            try context.save()
        }
    }
}
