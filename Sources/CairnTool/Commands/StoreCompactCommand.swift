import ArgumentParser
import Cairn
import CairnStore
import Foundation

/// The `cairn store compact` command, which makes the file of a store smaller.
struct StoreCompactCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compact",
        abstract: "Makes the file of a store as small as its content.",
        discussion: """
            LMDB and SQLite stores keep the space of deleted objects for later saves. This command \
            writes the content to a new file, which then replaces the old one. The store keeps its \
            identifier and everything else. No program may have the store open, and its folder needs \
            free space for the new file. If the command fails or is interrupted, the store is unchanged.
            Example: cairn store compact Trails.lmdb
            """)

    @Argument(
        help: "The store.", completion: .file(), transform: PathArgument.init(argument:))
    var store: PathArgument

    func run() throws {
        let url = try store.url()
        let registry = StoreRegistry.builtIn
        let type = try registry.type(ofStoreAt: .file(url))
        let engine = try registry.fileEngine(ofType: type, for: .file(url))
        let sizes: (before: Int64, after: Int64)?
        do {
            sizes = try ClosedStore(engine, ofType: type, at: url).compact()
        } catch .store(let error) {
            throw error
        }
        guard let sizes else {
            return try Output.line("\(store.shown) (\(type)) has no free space; nothing was done")
        }
        try Output.line(
            "compacted \(store.shown): \(sizes.before) bytes before, \(sizes.after) bytes after")
    }
}
