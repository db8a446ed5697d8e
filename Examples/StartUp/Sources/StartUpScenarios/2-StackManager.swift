import Cairn
import Foundation

/// A stack manager that takes the name of a model and provides a context. Everything in between is created on
/// demand.
///
/// The context of the user interface is the child of a context that saves on a private queue.
@MainActor public final class CoreDataManager {
    private let modelName: String
    private let bundle: Bundle
    private let folder: URL
    private let storeType: String
    private let log: (String) -> Void

    /// Creates a manager.
    ///
    /// - Parameters:
    ///   - bundle: The bundle that contains the model.
    ///   - folder: The folder for the store `<modelName>.sqlite`.
    ///   - storeType: The type of the store. Tests may pass another type.
    ///   - log: Receives information about failures for developers.
    public init(
        modelName: String, bundle: Bundle = Models.bundle, folder: URL,
        storeType: String = SQLiteStoreType, log: @escaping (String) -> Void = { print($0) }
    ) {
        self.modelName = modelName
        self.bundle = bundle
        self.folder = folder
        self.storeType = storeType
        self.log = log
    }

    /// The context of the user interface. Without a model or a store, its calls throw.
    public private(set) lazy var mainContext: ManagedObjectContext = {
        let context = ManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        context.parent = privateContext
        return context
    }()

    private lazy var privateContext: ManagedObjectContext = {
        let context = ManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = persistentStoreCoordinator
        return context
    }()

    private lazy var managedObjectModel: ManagedObjectModel? = {
        guard let url = bundle.url(forResource: modelName, withExtension: "xcdatamodeld") else {
            log("There is no model \(modelName) in \(bundle.bundlePath).")
            return nil
        }
        do {
            return try ManagedObjectModel(contentsOf: url)
        } catch {
            log("Unresolved error \(error as NSError), \((error as NSError).userInfo)")
            return nil
        }
    }()

    private lazy var persistentStoreCoordinator: PersistentStoreCoordinator? = {
        guard let managedObjectModel else { return nil }
        let coordinator = PersistentStoreCoordinator(managedObjectModel: managedObjectModel)
        let options = [
            MigratePersistentStoresAutomaticallyOption: true,
            InferMappingModelAutomaticallyOption: true,
        ]
        do {
            try coordinator.addPersistentStore(
                ofType: storeType, configurationName: nil,
                at: folder.appendingPathComponent("\(modelName).sqlite"), options: options)
        } catch {
            let nserror = error as NSError
            log("Unresolved error \(nserror), \(nserror.userInfo)")
        }
        return coordinator
    }()

    /// Returns a child of the main context, for changes that may be discarded.
    public func newEditingContext() -> ManagedObjectContext {
        let context = ManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.parent = mainContext
        return context
    }

    /// Saves the changes of the main context to the store.
    ///
    /// - Throws: The error of saving a context.
    public func saveChanges() throws {
        try mainContext.performAndWait {
            if mainContext.hasChanges { try mainContext.save() }
        }
        try privateContext.performAndWait {
            if privateContext.hasChanges { try privateContext.save() }
        }
    }
}
