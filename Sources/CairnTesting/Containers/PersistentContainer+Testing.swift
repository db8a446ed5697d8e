import Cairn
import CairnStore
import Foundation

extension PersistentContainer {
    /// Returns a container with a new, empty in-memory store, for a model that is created from classes.
    ///
    /// ```swift
    /// let container = try await PersistentContainer.inMemory(for: Author.self, Book.self)
    /// ```
    ///
    /// Each container has its own store.
    ///
    /// - Parameters:
    ///   - classes: The classes of all entities of the model.
    ///   - faults: The object that makes calls to the store fail. `nil` if no calls should fail.
    /// - Throws: `.model(.invalid)` with every problem of the classes; the error of an injected fault.
    public static func inMemory(
        for classes: ManagedObject.Type..., faults: StoreFaults? = nil
    ) async throws(GraphError) -> PersistentContainer {
        try await loaded(
            try testModel(classes), ObjectClasses(classes), type: .inMemory, faults)
    }

    /// Returns a container with a new, empty in-memory store.
    ///
    /// - Parameters:
    ///   - model: The model of the objects.
    ///   - classes: The classes of the model's entities.
    ///   - faults: The object that makes calls to the store fail. `nil` if no calls should fail.
    /// - Throws: `.classDoesNotFit`; `.store(.unsupported)` if the engine cannot store the model; the error
    ///   of an injected fault.
    public static func inMemory(
        _ model: ManagedObjectModel, classes: ObjectClasses = ObjectClasses(),
        faults: StoreFaults? = nil
    ) async throws(GraphError) -> PersistentContainer {
        try await loaded(model, classes, type: .inMemory, faults)
    }

    /// Returns a container with a new, empty store of an engine, for a model that is created from classes.
    ///
    /// ```swift
    /// @Test(arguments: StoreRegistry.builtIn.types) func `saves`(_ type: StoreType) async throws {
    ///     let container = try await PersistentContainer.temporary(type: type, for: Author.self)
    /// ```
    ///
    /// If the engine stores files, the store is in its own temporary folder. The folder is removed after the
    /// container and all of its contexts have been released. If the process is killed before that, the next
    /// process that creates such a container removes the folder.
    ///
    /// - Parameters:
    ///   - type: The type of the engine.
    ///   - classes: The classes of all entities of the model.
    ///   - faults: The object that makes calls to the store fail. `nil` if no calls should fail.
    /// - Throws: `.model(.invalid)` with every problem of the classes; `.store`: `.unknownType`,
    ///   `.fileFailure`, `.unsupported` if the engine cannot store the model; the error of an injected fault.
    public static func temporary(
        type: StoreType, for classes: ManagedObject.Type..., faults: StoreFaults? = nil
    ) async throws(GraphError) -> PersistentContainer {
        try await loaded(try testModel(classes), ObjectClasses(classes), type: type, faults)
    }

    /// Returns a container with a new, empty store of an engine. The store is in a temporary folder, as with
    /// ``temporary(type:for:faults:)``.
    ///
    /// - Parameters:
    ///   - type: The type of the engine.
    ///   - model: The model of the objects.
    ///   - classes: The classes of the model's entities.
    ///   - faults: The object that makes calls to the store fail. `nil` if no calls should fail.
    /// - Throws: `.store`: `.unknownType`, `.fileFailure`, `.unsupported` if the engine cannot store the
    ///   model; `.classDoesNotFit`; the error of an injected fault.
    public static func temporary(
        type: StoreType, _ model: ManagedObjectModel, classes: ObjectClasses = ObjectClasses(),
        faults: StoreFaults? = nil
    ) async throws(GraphError) -> PersistentContainer {
        try await loaded(model, classes, type: type, faults)
    }

    private static func testModel(
        _ classes: [ManagedObject.Type]
    ) throws(GraphError) -> ManagedObjectModel {
        do {
            return try ManagedObjectModel(for: classes)
        } catch {
            throw .model(error)
        }
    }

    private static func loaded(
        _ model: ManagedObjectModel, _ classes: ObjectClasses, type: StoreType,
        _ faults: StoreFaults?
    ) async throws(GraphError) -> PersistentContainer {
        let registry: StoreRegistry = faults == nil ? .builtIn : .builtIn.injectingFaults()
        let container = PersistentContainer(
            name: "Test", managedObjectModel: model, registry: registry, classes: classes)
        let description = PersistentStoreDescription(
            type: type, url: try url(ofStoreOf: type, in: container))
        description.options = faults?.options ?? [:]
        container.persistentStoreDescriptions = [description]
        try await container.loadPersistentStores()
        return container
    }

    /// Returns the URL for a store of a container, in a folder that is removed when the coordinator is
    /// released. Returns `nil` if the engine does not use files.
    private static func url(
        ofStoreOf type: StoreType, in container: PersistentContainer
    ) throws(GraphError) -> URL? {
        let coordinator = container.persistentStoreCoordinator
        do {
            guard try coordinator.registry.engine(ofType: type) is any FileStore.Type else {
                return nil
            }
        } catch {
            throw .store(error)
        }
        do {
            let folder = try TemporaryStoreFolder()
            coordinator.holdUntilStoresAreClosed(folder)
            return folder.file("\(type).store")
        } catch {
            throw .store(.fileFailure(error))
        }
    }
}
