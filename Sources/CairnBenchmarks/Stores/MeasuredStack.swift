import Cairn
import Foundation

/// A coordinator with one store, as a program would have it.
package struct MeasuredStack: Sendable {
    package let container: PersistentContainer

    /// Opens a store, or creates it.
    ///
    /// - Parameter model: The model, or `nil` for the reference model.
    /// - Throws: `GraphError`.
    package init(
        _ engine: StoreType, at url: URL?, options: StoreOptions = [:],
        model: ManagedObjectModel? = nil
    ) throws {
        container = PersistentContainer(
            name: "Reference", managedObjectModel: try model ?? ReferenceModel.model.get(),
            classes: ObjectClasses([Item.self, Folder.self]))
        try container.persistentStoreCoordinator.addPersistentStore(
            ofType: engine, configurationName: nil, at: url, options: options)
    }

    package var coordinator: PersistentStoreCoordinator { container.persistentStoreCoordinator }

    /// Passes a new context to the body, on the calling thread.
    ///
    /// - Throws: The error that the body throws.
    package func inContext<Result: Sendable>(
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) throws -> Result {
        try container.newBackgroundContext().performAndWait(body)
    }

    /// Closes the store, so that its file is complete.
    ///
    /// - Throws: `GraphError`.
    package func close() throws {
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }
}
