import Cairn

/// The unsaved changes of a context, as text. A failed save must not change them.
struct ContextChanges<W: Workload> {
    private let inserted: [String]
    private let updated: [String]
    private let deletedCount: Int

    init(of context: ManagedObjectContext, _ type: W.Type) throws {
        context.processPendingChanges()
        inserted = try context.insertedObjects.map(W.text(of:)).sorted()
        updated = try context.updatedObjects.map(W.text(of:)).sorted()
        deletedCount = context.deletedObjects.count
    }

    /// Returns a description of how a context now differs, or `nil` if it does not.
    func difference(from context: ManagedObjectContext) throws -> String? {
        let now = try Self(of: context, W.self)
        if now.deletedCount != deletedCount { return "deleted objects" }
        if now.inserted != inserted { return "inserted objects" }
        if now.updated != updated { return "updated objects" }
        return nil
    }
}
