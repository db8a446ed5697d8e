import Cairn
import Foundation

/// The same item as a typed class of Cairn.
final class TypedItem: ManagedObject {
    @Managed var name: String
    @Managed var number: Int
    @Managed var note: String?
    @Managed var folder: TypedFolder?
}

/// The destination of a typed item's relationship.
final class TypedFolder: ManagedObject {
    @Managed var items: Members<TypedItem>
}

/// The operations on typed items, each of which returns its time in seconds.
struct TypedItems {
    private let coordinator: PersistentStoreCoordinator

    init(in folder: URL) throws {
        coordinator = PersistentStoreCoordinator(
            managedObjectModel: try ManagedObjectModel(for: TypedItem.self, TypedFolder.self))
        try coordinator.addPersistentStore(
            ofType: "SQLite", at: folder.appending(path: "typed.store"),
            options: [.tracksHistory: true])
    }

    private func handle() -> ContextHandle {
        ContextHandle(
            coordinator: coordinator, classes: ObjectClasses([TypedItem.self, TypedFolder.self]))
    }

    func insertAndSave(_ count: Int) throws -> (insert: Double, save: Double) {
        try handle().performAndWait { context in
            let clock = Clock()
            let folder = try TypedFolder(context: context)
            for number in 0..<count {
                let item = try TypedItem(context: context)
                item.name = "item \(number)"
                item.number = number
                item.note = number % 2 == 0 ? nil : "note"
                item.folder = folder
            }
            let insert = clock.seconds
            try context.save()
            return (insert, clock.seconds - insert)
        }
    }

    func fetchAndRead() throws -> (fetch: Double, read: Double) {
        try handle().performAndWait { context in
            let clock = Clock()
            let items = try context.fetch(FetchRequest<TypedItem>("TypedItem")).map(\.self)
            var sum = items.reduce(0) { $0 &+ $1.number }
            let fetch = clock.seconds
            for _ in 0..<3 { sum &+= items.reduce(0) { $0 &+ $1.number &+ $1.name.utf8.count } }
            let read = clock.seconds - fetch
            return (sum == 0 ? 0 : fetch, read)
        }
    }

    /// Fetches all objects, and returns the bytes that they take.
    func hold() throws -> Int {
        try handle().performAndWait { context in
            let start = try Memory.residentBytes()
            let items = try context.fetch(FetchRequest<TypedItem>("TypedItem")).map(\.self)
            let sum = items.reduce(0) { $0 &+ $1.number }
            return try withExtendedLifetime(items) {
                sum == 0 ? 0 : try Memory.residentBytes() - start
            }
        }
    }
}
