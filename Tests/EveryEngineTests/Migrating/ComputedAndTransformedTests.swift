import Cairn
import CairnTestSupport
import Foundation
import GraphSupport
import MigrationSupport
import Testing

/// Derived and transformable attributes of objects whose store is migrated when it is opened.
@Suite struct `Migrated objects` {
    private static let both: StoreOptions = [
        .migratesAutomatically: .boolean(true), .infersMappingModel: .boolean(true),
    ]

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static func derived(
        _ name: String, _ type: AttributeType, _ expression: String
    ) -> PropertyDescription {
        var attribute = AttributeDescription(name, type)
        attribute.derivation = Derivation(expression: expression)
        return .attribute(attribute)
    }

    /// Returns authors and books with additional properties.
    private static func library(
        author: [PropertyDescription] = [], book: [PropertyDescription] = []
    ) -> [EntityDescription] {
        [
            EntityDescription(
                "Author",
                [.attribute("name", .string), .toMany("books", "Book", inverse: "author")] + author),
            EntityDescription("Book", [.toOne("author", "Author", inverse: "books")] + book),
        ]
    }

    /// Opens the store with a version of the model, migrates it if needed, and runs the body.
    private func use(
        _ type: StoreType, _ entities: [EntityDescription],
        _ body: @Sendable (ManagedObjectContext) throws -> Void
    ) throws {
        let coordinator = PersistentStoreCoordinator(
            managedObjectModel: try ManagedObjectModel(entities))
        let store = try coordinator.addPersistentStore(
            ofType: type, at: folder.file("store.db"), options: Self.both)
        try ContextHandle(source: coordinator).performAndWait(body)
        try coordinator.remove(store)
    }

    private static func values(
        _ context: ManagedObjectContext, _ entity: String, _ key: String
    ) throws -> [String] {
        try context.fetch(FetchRequest<ManagedObject>(entity)).map {
            "\(try $0.value(forKey: key) ?? "nil")"
        }.sorted()
    }

    /// Creates one author with two books, and one author without books.
    private func makeLibrary(_ type: StoreType, _ entities: [EntityDescription]) throws {
        try use(type, entities) { context throws in
            let author = try context.insertNewObject(forEntityName: "Author")
            try author.setValue("Ada", forKey: "name")
            for title in ["Café", "Été"] {
                let book = try context.insertNewObject(forEntityName: "Book")
                try book.setValue(title, forKey: "title")
                try book.setValue(author, forKey: "author")
            }
            try context.insertNewObject(forEntityName: "Author").setValue("Bob", forKey: "name")
            try context.save()
        }
    }

    @Test(arguments: everyFileEngine)
    func `get new derived values`(_ type: StoreType) throws {
        let title = PropertyDescription.attribute("title", .string)
        try makeLibrary(type, Self.library(book: [title]))
        let later = Self.library(
            author: [Self.derived("bookCount", .integer64, "books.@count")],
            book: [
                title, Self.derived("folded", .string, "canonical:(title)"),
                Self.derived("authorName", .string, "author.name"),
            ])

        try use(type, later) { context throws in
            #expect(try Self.values(context, "Book", "folded") == ["cafe", "ete"])
            #expect(try Self.values(context, "Book", "authorName") == ["Ada", "Ada"])
            #expect(try Self.values(context, "Author", "bookCount") == ["0", "2"])
            var request = FetchRequest<ManagedObject>("Book")
            request.predicate = try FetchPredicate(format: "folded == 'ete'")
            let book = try #require(try context.fetch(request).first)
            try context.delete(book)
            try context.save()
        }
        try use(type, later) { context throws in
            #expect(try Self.values(context, "Author", "bookCount") == ["0", "1"])
        }
    }

    @Test(arguments: everyFileEngine)
    func `have derived values after the attributes that they use are renamed`(_ type: StoreType)
        throws
    {
        try makeLibrary(
            type,
            Self.library(
                author: [Self.derived("bookCount", .integer64, "books.@count")],
                book: [
                    .attribute("title", .string),
                    Self.derived("folded", .string, "canonical:(title)"),
                ]))
        var later = Self.library(book: [
            .attribute(.renamed("name", .string, from: "title")),
            Self.derived("folded", .string, "canonical:(name)"),
        ])
        later[0].properties = [
            .attribute("name", .string), Self.derived("bookCount", .integer64, "works.@count"),
            .relationship(
                .renamed(.toMany("works", "Book", inverse: "author"), from: "books")),
        ]
        later[1].properties[0] = .toOne("author", "Author", inverse: "works")

        try use(type, later) { context throws in
            #expect(try Self.values(context, "Book", "name") == ["Café", "Été"])
            #expect(try Self.values(context, "Book", "folded") == ["cafe", "ete"])
            #expect(try Self.values(context, "Author", "bookCount") == ["0", "2"])
        }
    }

    @Test(arguments: everyFileEngine)
    func `keep the values of a derived attribute that becomes stored, and vice versa`(
        _ type: StoreType
    ) throws {
        let title = PropertyDescription.attribute("title", .string)
        let derived = Self.library(book: [
            title, Self.derived("folded", .string, "canonical:(title)"),
        ])
        try makeLibrary(type, derived)

        var stored = Self.library(book: [title, .attribute("folded", .string)])
        // A derivation is not part of a version hash.
        stored[1].versionHashModifier = "2"
        try use(type, stored) { context throws in
            #expect(try Self.values(context, "Book", "folded") == ["cafe", "ete"])
            for book in try context.fetch(FetchRequest<ManagedObject>("Book")) {
                try book.setValue("by hand", forKey: "folded")
            }
            try context.save()
        }
        try use(type, derived) { context throws in
            #expect(try Self.values(context, "Book", "folded") == ["cafe", "ete"])
        }
    }

    @Test(arguments: everyFileEngine)
    func `have their transformable values under a new name`(_ type: StoreType) throws {
        func note(_ properties: [PropertyDescription]) -> [EntityDescription] {
            [EntityDescription("Note", properties)]
        }
        let required: PropertyDescription = .attribute(
            "state", .string, isOptional: false, defaultValue: .string("new"))
        try use(type, note([.attribute("tags", .transformable)])) { context throws in
            let full = try context.insertNewObject(forEntityName: "Note")
            try full.setValue(["red", "blue"], forKey: "tags")
            _ = try context.insertNewObject(forEntityName: "Note")
            try context.save()
        }

        try use(
            type, note([.attribute(.renamed("labels", .transformable, from: "tags")), required])
        ) { context throws in
            let notes = try context.fetch(FetchRequest<ManagedObject>("Note"))
            let labels = try notes.map { try $0.value(forKey: "labels") as? [String] }
            #expect(labels.compactMap(\.self) == [["red", "blue"]])
            #expect(labels.count == 2)
            #expect(try Self.values(context, "Note", "state") == ["new", "new"])
        }
    }
}
