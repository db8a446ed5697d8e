import CairnGraph
import CairnModel
import CairnModelFiles
import CairnStore
import CairnThreads
import Foundation

extension PersistentContainer {
    /// Creates a container for the model with a name, with all built-in engines.
    ///
    /// The model is the first of `NAME.momd`, `NAME.xcdatamodeld`, `NAME.mom`, `NAME.xcdatamodel` in
    /// the first folder that contains one of them. Migrations know its other versions and the mapping
    /// models next to it.
    ///
    /// - Parameters:
    ///   - bundles: the bundles whose resources are searched.
    ///   - folders: the folders that are searched after the bundles.
    ///   - classes: the classes of the model's entities.
    ///   - directory: the directory of the default store's file.
    ///   - executor: provides the threads for the contexts' turns.
    /// - Throws: `.model`: `.notFound` with the locations that were searched, `.unreadable`,
    ///   `.unsupportedForm`, `.invalid`.
    public convenience init(
        name: String, bundles: [Bundle] = [.main],
        folders: [URL] = PersistentContainer.usualModelFolders,
        classes: ObjectClasses = ObjectClasses(),
        directory: URL? = nil,
        executor: TurnExecutor = TurnExecutor()
    ) throws(GraphError) {
        let locator = ModelLocator(folders: bundles.compactMap(\.resourceURL) + folders)
        try self.init(
            name: name, registry: .builtIn, classes: classes, directory: directory,
            executor: executor
        ) { (name) throws(ModelError) in
            try locator.model(named: name)
        }
        persistentStoreCoordinator.setModelHistory { () throws(ModelError) in
            try ModelHistory(contentsOf: locator.location(of: name))
        }
    }

    /// Makes a container of a model at hand, with every built-in engine.
    ///
    /// - Parameters:
    ///   - classes: the classes of the model's entities.
    ///   - directory: the directory of the default store's file.
    ///   - executor: provides the threads for the contexts' turns.
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

    /// Makes a container of a model that is made of classes, with every built-in engine.
    ///
    /// ```swift
    /// let container = try PersistentContainer(name: "Library", for: Author.self, Book.self)
    /// ```
    ///
    /// - Throws: `.model(.invalid)` with every problem of the classes, as `ManagedObjectModel(for:)`.
    public convenience init(
        name: String, for objectClass: ManagedObject.Type, _ others: ManagedObject.Type...
    ) throws(GraphError) {
        let classes = [objectClass] + others
        do throws(ModelError) {
            self.init(
                name: name, managedObjectModel: try ManagedObjectModel(for: classes),
                classes: ObjectClasses(classes))
        } catch {
            throw .model(error)
        }
    }

    /// Where models are looked for unless told otherwise: beside the program, the resources of the
    /// bundles beside it (where SwiftPM puts those of targets), and the working directory.
    public static var usualModelFolders: [URL] {
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
