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
        help: "The file of the new store, or its URL.", completion: .file(),
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
        let location = try store.locationOfNewStore()
        let engine = try engine(for: location)
        let version = try ToolModel(model).version(version)
        // The engine would open an existing store.
        guard try !isOccupied(location) else {
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

    private func engine(for location: StoreLocation) throws(StoreError) -> any PersistentStore.Type
    {
        let registry = StoreRegistry.builtIn
        let type = StoreType(rawValue: type)
        guard location.fileURL == nil else {
            return try registry.fileEngine(ofType: type, for: location)
        }
        return try registry.engine(ofType: type)
    }

    /// Returns whether something is at the location. A symbolic link that leads nowhere counts.
    private func isOccupied(_ location: StoreLocation) throws -> Bool {
        if let url = location.fileURL {
            return (try? FileManager.default.attributesOfItem(atPath: url.path)) != nil
        }
        do {
            _ = try ToolStore(store, model: nil)
            return true
        } catch StoreError.notFound {
            return false
        }
    }
}
