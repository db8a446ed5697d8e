import Cairn
import Foundation

/// A stack manager: a model's name goes in, a context comes out, and everything between is made when
/// it is first needed.
///
/// The context of the user interface is the child of one that saves on a private queue.
@MainActor public final class CoreDataManager {
    private let modelName: String
    private let bundle: Bundle
    private let folder: URL
    private let storeType: String
    private let log: (String) -> Void

    /// - Parameters:
    ///   - bundle: where the model is.
    ///   - folder: where the store `<modelName>.sqlite` is to be.
    ///   - storeType: the engine, for tests that want another one.
    ///   - log: takes what a developer wants to know of a failure.
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

    /// A child of the main context, for changes that may be given up.
    public func newEditingContext() -> ManagedObjectContext {
        let context = ManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.parent = mainContext
        return context
    }

    /// Saves the changes of the main context to the store.
    ///
    /// - Throws: as the save of a context.
    public func saveChanges() throws {
        try mainContext.performAndWait {
            if mainContext.hasChanges { try mainContext.save() }
        }
        try privateContext.performAndWait {
            if privateContext.hasChanges { try privateContext.save() }
        }
    }
}
