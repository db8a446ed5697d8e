import ArgumentParser
import Cairn
import CairnStore
import Foundation

/// The `cairn store restore` command, which replaces stores with those of a backup.
struct StoreRestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Replaces stores with their copies in a backup, all of them or none.",
        discussion: """
            The copies are verified first. No program may have one of the stores open. If the command is \
            killed, either nothing has changed, or the next program that opens one of the stores finishes \
            the restore.
            Example: cairn store restore Backups/Monday
            """)

    @Argument(
        help: "The folder of the backup.", completion: .directory,
        transform: PathArgument.init(argument:))
    var backup: PathArgument

    @Option(
        parsing: .unconditional,
        help:
            "Restore all stores into this folder, instead of the paths that they were copied from.",
        completion: .directory, transform: PathArgument.init(argument:))
    var into: PathArgument?

    func run() throws {
        let folder = try backup.url()
        let coordinator = PersistentStoreCoordinator(
            managedObjectModel: try ManagedObjectModel(ModelDescription([])), registry: .builtIn)
        let target = try into?.url()
        let interruption = Interruption()
        var line = ProgressLine()
        let restored: [URL]
        do {
            restored = try coordinator.restore(
                fromBackup: folder,
                choosing: { store in
                    target?.appending(path: store.name)
                        ?? store.path.map { URL(fileURLWithPath: $0) }
                }
            ) { part in
                line.show(Int(part * 100), of: 100, "percent")
                return interruption.isRequested ? .cancel : .proceed
            }
        } catch {
            line.end()
            throw error
        }
        line.end()
        for url in restored { try Output.line("restored \(VisibleText.line(url.path))") }
    }
}
