import Cairn
import CairnTestSupport
import Foundation

/// A stack with a store of one engine, and a model with every kind of relationship and attribute type.
final class GraphStack {
    let model: ManagedObjectModel
    private let type: StoreType
    private let folder: TemporaryFolder
    private(set) var coordinator: PersistentStoreCoordinator

    init(_ type: StoreType) throws {
        self.type = type
        folder = try TemporaryFolder()
        model = try ManagedObjectModel(Self.entities)
        coordinator = PersistentStoreCoordinator(managedObjectModel: model)
        try addStore()
    }

    private var url: URL? { type == "InMemory" ? nil : folder.file("library.store") }

    private func addStore() throws {
        try coordinator.addPersistentStore(ofType: type, at: url)
    }

    /// Runs the body in a turn of a new context.
    @discardableResult
    func inContext<Result: Sendable>(
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) throws -> Result {
        try ContextHandle(coordinator: coordinator).performAndWait(body)
    }

    /// Closes the store and opens it again, unless closing destroys it.
    func reopen() throws {
        guard url != nil else { return }
        for store in coordinator.persistentStores { try coordinator.remove(store) }
        coordinator = PersistentStoreCoordinator(managedObjectModel: model)
        try addStore()
    }

    /// An attribute that some engines store outside of the row.
    private static var scan: AttributeDescription {
        var scan = AttributeDescription("scan", .binary)
        scan.allowsExternalBinaryDataStorage = true
        return scan
    }

    private static let entities: [EntityDescription] = [
        EntityDescription(
            "Author",
            [
                .attribute("name", .string, isOptional: false),
                .toMany("books", "Book", inverse: "author", deleteRule: .cascade),
                .toOne("portrait", "Portrait", inverse: "author", deleteRule: .cascade),
                .toMany("friends", "Author", inverse: "friends"),
            ]),
        EntityDescription(
            "Book",
            [
                .attribute("title", .string), .attribute("pages", .integer16),
                .attribute("sold", .integer32), .attribute("words", .integer64),
                .attribute("price", .decimal), .attribute("rating", .double),
                .attribute("weight", .float), .attribute("isSigned", .boolean),
                .attribute("published", .date), .attribute("sample", .binary),
                .attribute("code", .uuid), .attribute("page", .uri), .attribute(scan),
                .toOne("author", "Author", inverse: "books"),
                .toMany("genres", "Genre", inverse: "books"),
                .toMany(
                    "chapters", "Chapter", inverse: "book", isOrdered: true, deleteRule: .cascade),
            ]),
        EntityDescription("Novel", superentity: "Book", [.attribute("hero", .string)]),
        EntityDescription(
            "Chapter", [.attribute("title", .string), .toOne("book", "Book", inverse: "chapters")]),
        EntityDescription(
            "Genre", [.attribute("name", .string), .toMany("books", "Book", inverse: "genres")]),
        EntityDescription("Portrait", [.toOne("author", "Author", inverse: "portrait")]),
        EntityDescription(
            "Shelf",
            [
                .attribute("label", .string),
                .toMany("books", "Mark", inverse: "shelves", isOrdered: true),
                .toMany("guards", "Author", inverse: nil, deleteRule: .deny),
            ]),
        EntityDescription(
            "Mark",
            [.attribute("label", .string), .toMany("shelves", "Shelf", inverse: "books")]),
    ]
}
