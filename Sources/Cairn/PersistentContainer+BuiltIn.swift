import CairnModel
import CairnModelFiles
import CairnObjects
import CairnQueries
import CairnStack
import CairnThreads
import Foundation

extension PersistentContainer {
    /// Creates a container for the model with a name, with all built-in engines.
    ///
    /// The model is the first of `NAME.momd`, `NAME.xcdatamodeld`, `NAME.mom` and `NAME.xcdatamodel` in the
    /// first folder that contains one of them. Migrations use its other versions and the mapping models next
    /// to it.
    ///
    /// - Parameters:
    ///   - name: The name of the model, without its extension, and of the container.
    ///   - bundles: The bundles whose resources are searched.
    ///   - folders: The folders that are searched after the bundles.
    ///   - classes: The classes of the model's entities.
    ///   - directory: The directory of the default store's file.
    ///   - executor: The executor that provides the threads for the contexts' turns.
    /// - Throws: `.model` with `.notFound` (which contains the locations that were searched), `.unreadable`,
    ///   `.unsupportedForm` or `.invalid`.
    public convenience init(
        name: String, bundles: [Bundle] = [.main],
        folders: [URL] = PersistentContainer.defaultModelFolders,
        classes: ObjectClasses = ObjectClasses(),
        directory: URL? = nil,
        executor: TurnExecutor = TurnExecutor()
    ) throws(GraphError) {
        self.init(
            name: name, locator: ModelLocator(folders: bundles.compactMap(\.resourceURL) + folders),
            classes: classes, directory: directory, executor: executor)
        if let modelFailure { throw modelFailure }
    }

    /// Creates a container for the model with a name. If the model is not found, loading stores reports it.
    package convenience init(
        name: String, locator: ModelLocator, classes: ObjectClasses = ObjectClasses(),
        directory: URL? = nil, executor: TurnExecutor = TurnExecutor()
    ) {
        self.init(
            name: name, model: Result { () throws(ModelError) in try locator.model(named: name) },
            registry: .builtIn, classes: classes, directory: directory, executor: executor)
        persistentStoreCoordinator.setModelHistory { () throws(ModelError) in
            try ModelHistory(contentsOf: locator.location(of: name))
        }
    }

    /// Creates a container for a model, with all built-in engines.
    ///
    /// - Parameters:
    ///   - name: The name of the container, and of the default store's file.
    ///   - model: The model of the stores.
    ///   - classes: The classes of the model's entities.
    ///   - directory: The directory of the default store's file.
    ///   - executor: The executor that provides the threads for the contexts' turns.
    public convenience init(
        name: String, managedObjectModel model: ManagedObjectModel,
        classes: ObjectClasses = ObjectClasses(),
        directory: URL? = nil,
        executor: TurnExecutor = TurnExecutor()
    ) {
        self.init(
            name: name, managedObjectModel: model, registry: .builtIn, classes: classes,
            directory: directory, executor: executor)
    }

    /// Creates a container for a model that consists of classes, with all built-in engines.
    ///
    /// ```swift
    /// let container = try PersistentContainer(name: "Library", for: Author.self, Book.self)
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name of the container, and of the default store's file.
    ///   - objectClass: A class of the model.
    ///   - others: The other classes of the model.
    ///   - directory: The directory of the default store's file.
    ///   - executor: The executor that provides the threads for the contexts' turns.
    /// - Throws: `.model(.invalid)` with all problems of the classes, as `ManagedObjectModel(for:)` does.
    public convenience init(
        name: String, for objectClass: ManagedObject.Type, _ others: ManagedObject.Type...,
        directory: URL? = nil,
        executor: TurnExecutor = TurnExecutor()
    ) throws(GraphError) {
        let classes = [objectClass] + others
        do {
            self.init(
                name: name, managedObjectModel: try ManagedObjectModel(for: classes),
                classes: ObjectClasses(classes), directory: directory, executor: executor)
        } catch {
            throw .model(error)
        }
    }

    /// The folders in which models are searched for by default: the folder of the program, the bundles next
    /// to the program (which contain the resources of SwiftPM targets), and the working directory.
    public static var defaultModelFolders: [URL] {
        let program = Bundle.main.executableURL?.resolvingSymlinksInPath()
            .deletingLastPathComponent()
        let working = URL(
            fileURLWithPath: FileManager.default.currentDirectoryPath, isDirectory: true)
        guard let program else { return [working] }
        return [program] + resourceFolders(beside: program) + [working]
    }

    private static func resourceFolders(beside folder: URL) -> [URL] {
        let found = try? FileManager.default.contentsOfDirectory(
            at: folder, includingPropertiesForKeys: nil)
        return (found ?? []).filter { ["resources", "bundle"].contains($0.pathExtension) }
            .sorted { $0.path < $1.path }
    }
}
