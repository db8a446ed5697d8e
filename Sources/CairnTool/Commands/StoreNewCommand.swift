import ArgumentParser
import Cairn
import CairnStore
import Foundation

/// The `cairn store new` command, which creates an empty store.
struct StoreNewCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new", abstract: "Creates an empty store for a model.",
        discussion: "Example: cairn store new Trails.sqlite --model Trails.momd --type SQLite")

    @Argument(
        help: "The file of the new store.", completion: .file(),
        transform: PathArgument.init(argument:))
    var store: PathArgument

    @Option(
        parsing: .unconditional,
        help: "The model: a .xcdatamodeld, .xcdatamodel, .momd or .mom, or a store with its model.",
        completion: .file(), transform: PathArgument.init(argument:))
    var model: PathArgument

    @Option(parsing: .unconditional, help: "A version by name, instead of the current one.")
    var version: String?

    @Option(help: "The type of the new store, such as SQLite or LMDB.")
    var type: String

    @Option(help: "The configuration whose entities the store holds, instead of all.")
    var configuration: String?

    func run() throws {
        let url = try store.urlOfNewFile()
        let location = StoreLocation.file(url)
        let engine = try StoreRegistry.builtIn.fileEngine(
            ofType: StoreType(rawValue: type), for: location)
        let version = try ToolModel(model).version(version)
        // The engine would open an existing file. A symbolic link that leads nowhere counts as existing.
        guard (try? FileManager.default.attributesOfItem(atPath: url.path)) == nil else {
            throw ToolFailure("\(store.shown) already exists and was not changed.")
        }
        let made = try engine.open(
            OpenRequest(
                location: location, model: version, configuration: configuration,
                isReadOnly: false, createsMissing: true))
        try made.close()
        try Output.line(
            "created \(store.shown) (\(type)) for"
                + " \(Quantity.count(version.entities.count, "entity", "entities"))")
    }
}
