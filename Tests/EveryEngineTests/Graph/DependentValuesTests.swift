import Cairn
import CairnTestSupport
import Foundation
import GraphSupport
import Testing

/// Attributes whose values depend on others: derived attributes, and composites of elements.
@Suite struct `Dependent values` {
    private static func model() throws -> ManagedObjectModel {
        var count = AttributeDescription("bookCount", .integer64)
        count.derivation = Derivation(expression: "books.@count")
        var author = AttributeDescription("authorName", .string)
        author.derivation = Derivation(expression: "author.name")
        var address = AttributeDescription("address", .composite)
        address.compositeName = "Address"
        var description = ModelDescription([
            EntityDescription(
                "Author",
                [
                    .attribute("name", .string), .attribute(count), .attribute(address),
                    .toMany("books", "Book", inverse: "author"),
                ]),
            EntityDescription(
                "Book", [.attribute(author), .toOne("author", "Author", inverse: "books")]),
        ])
        description.composites = [
            CompositeDescription(
                "Address",
                [
                    AttributeDescription("street", .string),
                    AttributeDescription("number", .integer32),
                ]
            )
        ]
        return try ManagedObjectModel(description)
    }

    private func inContext(
        _ type: StoreType, _ body: @Sendable (ManagedObjectContext) throws -> Void
    ) throws {
        let folder = try TemporaryFolder()
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try Self.model())
        try coordinator.addPersistentStore(
            ofType: type, at: type == "InMemory" ? nil : folder.file("library.store"))
        try ContextHandle(coordinator: coordinator).performAndWait(body)
    }

    @Test(arguments: everyEngine)
    func `derived from other objects are updated by a refresh`(_ type: StoreType) throws {
        try inContext(type) { context in
            let author = try context.insertNewObject(forEntityName: "Author")
            try author.setValue("Ursula", forKey: "name")
            let book = try context.insertNewObject(forEntityName: "Book")
            try book.setValue(author, forKey: "author")
            try context.save()

            try author.setValue("Le Guin", forKey: "name")
            try context.save()
            try context.refresh(book, mergeChanges: false)
            let name = try book["authorName"]
            try context.delete(book)
            try context.save()
            try context.refresh(author, mergeChanges: false)

            #expect(name == "Le Guin")
            #expect(try author["bookCount"] == 0)
        }
    }

    @Test(arguments: everyEngine)
    func `of a composite are refused if they do not fit its elements`(_ type: StoreType) throws {
        try inContext(type) { context in
            let author = try context.insertNewObject(forEntityName: "Author")
            let address: [String: Value] = ["street": "Quai", "number": 7]
            try author.setValue(address, forKey: "address")
            let refused: [[String: Value]] = [
                ["number": "seven"], ["number": .integer(.max)], ["city": "Paris"],
                ["street": .composite(["street": "Quai"])],
            ]

            for elements in refused {
                #expect(throws: GraphError.self) {
                    try author.setValue(elements, forKey: "address")
                }
            }
            try context.save()
            try context.refresh(author, mergeChanges: false)

            #expect(try author["address"] == .composite(address))
        }
    }
}
