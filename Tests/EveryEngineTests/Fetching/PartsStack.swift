import CairnTestSupport
import CairnTesting
import Foundation
import GraphSupport

/// A stack with several stores, possibly of different engines, that all contain parts and kits.
final class PartsStack: Sendable {
    let coordinator: PersistentStoreCoordinator
    /// The stores in the order in which they were added.
    let stores: [any PersistentStore]
    /// The objects that count the calls to each store and the rows that it returns.
    let counts: [StoreFaults]
    private let folder: TemporaryFolder

    /// Opens a store of each engine, in a folder that is removed with the stack.
    init(_ types: [StoreType]) throws {
        folder = try TemporaryFolder()
        coordinator = PersistentStoreCoordinator(
            managedObjectModel: try ManagedObjectModel(Self.entities),
            registry: StoreRegistry.builtIn.injectingFaults())
        counts = types.map { _ in StoreFaults() }
        stores = try types.enumerated().map { [coordinator, folder, counts] number, type in
            try coordinator.addPersistentStore(
                ofType: type, at: folder.url(of: type, "parts\(number).store"),
                options: counts[number].options)
        }
    }

    /// Returns the number of rows and IDs that each store has returned since the last call of this function.
    func takeRowCounts() -> [Int] {
        counts.map { count in
            defer { count.resetCallCounts() }
            return count.rowCount
        }
    }

    /// Runs the body in a turn of a new context.
    @discardableResult
    func inContext<Result: Sendable>(
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) throws -> Result {
        try ContextHandle(coordinator: coordinator).performAndWait(body)
    }

    private static var entities: [EntityDescription] {
        var part = EntityDescription(
            "Part",
            [
                .attribute("code", .string), .attribute("number", .integer32),
                .attribute("weight", .integer64, isOptional: false),
                .attribute("price", .double), .attribute("name", .string),
                .attribute("isNew", .boolean), .attribute("made", .date),
                .toOne("kit", "Kit", inverse: "parts"),
            ])
        part.fetchIndexes = [FetchIndexDescription("byNumber", elements: [.init("number")])]
        return [
            part,
            EntityDescription("Spare", superentity: "Part", [.attribute("note", .string)]),
            EntityDescription(
                "Kit", [.attribute("name", .string), .toMany("parts", "Part", inverse: "kit")]),
        ]
    }
}
