import ArgumentParser
import Cairn
import CairnStore
import Foundation

/// The `cairn store backup` command, which copies stores at one moment.
struct StoreBackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copies one or several stores, at one moment between two saves, to a new folder.",
        discussion: """
            Programs may have the stores open and save to them meanwhile. The copies can be opened as they \
            are. A backup that fails or is interrupted leaves no folder.
            Example: cairn store backup Catalog.lmdb Notes.sqlite Backups/Monday
            """)

    @Argument(
        help: ArgumentHelp("The stores, and last the folder to create.", valueName: "store"),
        completion: .file(), transform: PathArgument.init(argument:))
    var paths: [PathArgument]

    @Option(
        parsing: .unconditional,
        help: "A model to use instead of the one inside the store.", completion: .file(),
        transform: PathArgument.init(argument:))
    var model: PathArgument?

    func validate() throws {
        guard paths.count > 1 else {
            throw ValidationError("Name at least one store, and the folder to create.")
        }
    }

    func run() throws {
        let destination = paths[paths.count - 1]
        let folder = try destination.urlOfNewFile()
        let tool = try ToolStores(Array(paths.dropLast()), model: model)
        let coordinator = PersistentStoreCoordinator(
            managedObjectModel: try tool.model(), registry: .builtIn)
        for store in tool.members {
            guard let url = store.location.fileURL else {
                throw ToolFailure(
                    "\(store.location) is not a file. Its service makes backups of it, or “cairn store copy” a copy"
                        + " that is a file.")
            }
            let isReadOnly = access(url.path, W_OK) != 0
            try coordinator.addPersistentStore(
                ofType: store.engine.type, at: url,
                options: [
                    .readOnly: .boolean(isReadOnly), .migratesAutomatically: .boolean(false),
                    .createsMissingStore: .boolean(false),
                ])
        }
        let interruption = Interruption()
        var line = ProgressLine()
        let copies: [URL]
        do {
            copies = try coordinator.backUp(to: folder) { part in
                line.show(Int(part * 100), of: 100, "percent")
                return interruption.isRequested ? .cancel : .proceed
            }
        } catch {
            line.end()
            throw error
        }
        line.end()
        for (store, copy) in zip(tool.members, copies) {
            try Output.line("\(store.location) -> \(VisibleText.line(copy.path))")
        }
        try Output.line(
            "backed up \(Quantity.plainCount(copies.count, "store")) to \(destination.shown)")
    }
}
