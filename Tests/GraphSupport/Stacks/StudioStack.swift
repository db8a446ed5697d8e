import Cairn
import CairnTestSupport
import Foundation

/// A stack with one or more stores of the same engine, for typed objects, composites, and transient and
/// derived attributes.
public final class StudioStack: Sendable {
    /// The coordinator of the stores.
    public let coordinator: PersistentStoreCoordinator
    /// The stores, in the order in which they were added.
    public let stores: [any PersistentStore]
    private let folder: TemporaryFolder

    /// Adds the stores. Their files are in a folder that is removed with the stack. Of the stores of a server, only one
    /// can take part in a save, so the others are SQLite's.
    ///
    /// - Parameter entities: The entities of the model. `nil` means the entities of a writer's studio.
    public init(_ type: StoreType, storeCount: Int = 1, _ entities: [EntityDescription]? = nil)
        throws
    {
        let folder = try TemporaryFolder()
        self.folder = folder
        var description = ModelDescription(entities ?? Self.entities)
        description.composites = [
            CompositeDescription(
                "Place",
                [AttributeDescription("city", .string), Self.composite("exact", "Point")]),
            CompositeDescription(
                "Point", [AttributeDescription("x", .double), AttributeDescription("y", .double)]),
        ]
        coordinator = PersistentStoreCoordinator(
            managedObjectModel: try ManagedObjectModel(description))
        var stores: [any PersistentStore] = []
        for number in 0..<storeCount {
            let url = folder.url(of: type, "studio\(number).store")
            let type = number > 0 && url?.isFileURL == false ? .sqlite : type
            stores.append(
                try coordinator.addPersistentStore(
                    ofType: type, at: folder.url(of: type, "studio\(number).store")))
        }
        self.stores = stores
    }

    /// Runs the body in a turn of a new context.
    @discardableResult
    public func inContext<Result: Sendable>(
        classes: ObjectClasses = ObjectClasses(),
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) throws -> Result {
        try ContextHandle(coordinator: coordinator, classes: classes).performAndWait(body)
    }

    /// Runs the body in a turn of a new context, and saves.
    public func fill(_ body: @Sendable (ManagedObjectContext) throws -> Void) throws {
        try inContext { context in
            try body(context)
            try context.save()
        }
    }

    private static func composite(_ name: String, _ type: String) -> AttributeDescription {
        var attribute = AttributeDescription(name, .composite)
        attribute.compositeName = type
        return attribute
    }

    static let entities: [EntityDescription] = [
        EntityDescription(
            "Person",
            [
                .attribute("name", .string, isOptional: false),
                .attribute(
                    "age", .integer16, isOptional: true,
                    validationRules: [.minimum(0), .maximum(150)]),
                .attribute(composite("home", "Place")),
                .toMany("books", "Book", inverse: "author", deleteRule: .cascade),
                .toOne("mentor", "Person", inverse: "pupils"),
                .toMany("pupils", "Person", inverse: "mentor"),
                .toMany("friends", "Person", inverse: "friends"),
            ]),
        EntityDescription("Writer", superentity: "Person", [.attribute("pen", .string)]),
        EntityDescription(
            "Book",
            [
                .attribute("title", .string), .attribute("pages", .integer32),
                .attribute("sold", .integer64), .attribute("price", .decimal),
                .attribute("rating", .double), .attribute("published", .date),
                .toOne("author", "Person", inverse: "books"),
                .toMany("tags", "Tag", inverse: "books"),
                .toMany(
                    "chapters", "Chapter", inverse: "book", isOrdered: true, deleteRule: .cascade),
            ]),
        EntityDescription(
            "Chapter",
            [
                .attribute("title", .string), .attribute("length", .integer64),
                .toOne("book", "Book", inverse: "chapters"),
            ]),
        EntityDescription(
            "Tag", [.attribute("name", .string), .toMany("books", "Book", inverse: "tags")]),
    ]
}
