import Cairn
import CairnTestSupport
import Foundation

/// A stack with one or more stores of items, which several contexts edit at the same time.
package final class ItemStack: Sendable {
    package let coordinator: PersistentStoreCoordinator
    private let folder: TemporaryFolder

    /// The stores, in the order in which they were added. New objects go to the first store.
    package let stores: [any PersistentStore]

    package init(_ types: StoreType...) throws {
        folder = try TemporaryFolder()
        coordinator = PersistentStoreCoordinator(
            managedObjectModel: try ManagedObjectModel(Self.entities))
        stores = try types.enumerated().map { [coordinator, folder] number, type in
            try coordinator.addPersistentStore(
                ofType: type, at: folder.url(of: type, "items\(number).store"),
                // Long enough for tests that hold a lock while other tests keep Swift's threads busy.
                options: [.timeout: .real(60)])
        }
    }

    /// Returns a new context of the coordinator.
    package func handle(_ policy: any MergePolicy = .error) throws -> ContextHandle {
        let handle = ContextHandle(coordinator: coordinator)
        try handle.performAndWait { $0.mergePolicy = policy }
        return handle
    }

    @discardableResult
    package func inContext<Result: Sendable>(
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) throws -> Result {
        try handle().performAndWait(body)
    }

    package static var entities: [EntityDescription] {
        var item = EntityDescription(
            "Item",
            [
                .attribute("name", .string), .attribute("code", .string),
                .attribute("a", .integer64), .attribute("b", .integer64),
                .toOne("box", "Box", inverse: "items"),
                .toMany("labels", "Label", inverse: "item", deleteRule: .cascade),
                .toMany("tags", "Tag", inverse: "items"),
            ])
        item.uniquenessConstraints = [["code"]]
        return [
            item,
            EntityDescription(
                "Box",
                [
                    .attribute("name", .string),
                    .toMany("items", "Item", inverse: "box", isOrdered: true),
                ]),
            EntityDescription(
                "Label", [.attribute("text", .string), .toOne("item", "Item", inverse: "labels")]),
            EntityDescription(
                "Tag", [.attribute("name", .string), .toMany("items", "Item", inverse: "tags")]),
        ]
    }
}

extension ManagedObjectContext {
    /// Returns the item with a name, or `nil` if there is no such item.
    package func item(_ name: String) throws -> ManagedObject? {
        let found: [ManagedObject] = try fetch(
            try FetchRequest<ManagedObject>("Item", where: "name == %@", name))
        return found.first
    }
}
