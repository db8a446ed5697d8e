import ArgumentParser
import Cairn
import Foundation

/// The `cairn store migrate` command, which migrates a store to another version of its model.
struct StoreMigrateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Migrates a store to another version of its model.",
        discussion: """
            The changes of each entity and property are inferred from the two versions. To see them, \
            run “cairn model diff”. No program may have the store open. A migration that fails or is \
            interrupted leaves the store unchanged.
            Example: cairn store migrate Trails.sqlite --to Trails.momd --plan
            """)

    @Argument(
        help: "The store.", completion: .file(), transform: PathArgument.init(argument:))
    var store: PathArgument

    @Option(
        parsing: .unconditional,
        help: "The model to migrate to. Its other versions are used as well.",
        completion: .file(), transform: PathArgument.init(argument:))
    var to: PathArgument

    @Option(parsing: .unconditional, help: "A version by name, instead of the current one.")
    var version: String?

    @Option(
        parsing: .unconditional,
        help:
            "The model that the store was written with, if neither the store nor --to contains it.",
        completion: .file(), transform: PathArgument.init(argument:))
    var model: PathArgument?

    @Option(
        parsing: .unconditionalSingleValue,
        help:
            "A folder with mapping models, instead of those of the model. May be repeated.",
        completion: .directory, transform: PathArgument.init(argument:))
    var mappings: [PathArgument] = []

    @Option(help: "The configuration whose entities the store holds, instead of all.")
    var configuration: String?

    @Flag(help: "Show what would be done, without doing it.")
    var plan = false

    @Flag(help: "Migrate a copy of the store, and remove the copy afterwards.")
    var rehearse = false

    @Option(
        help: "Where to keep a copy of the old store.", completion: .file(),
        transform: PathArgument.init(argument:))
    var backup: PathArgument?

    func validate() throws {
        if plan && rehearse { throw ValidationError("Pass only one of --plan and --rehearse.") }
        if backup != nil && (plan || rehearse) {
            throw ValidationError(
                "--plan and --rehearse change nothing, so they cannot be combined with --backup.")
        }
    }

    func run() throws {
        let registry = StoreRegistry.builtIn
        let location = try store.location()
        guard let url = location.url else { return }
        let type = try registry.type(ofStoreAt: location)
        let manager = MigrationManager(
            sourceModel: try model.map { try ToolModel($0).version(nil) },
            destinationModel: try ToolModel(to).version(version), history: try history(),
            registry: registry)
        if plan {
            let plan = try manager.plan(
                forStoreAt: url, ofType: type, configurationName: configuration)
            return try Output.line(plan.description)
        }
        let done = try migrate(url, type, with: manager)
        guard done.isNeeded else {
            return try Output.line("\(store.shown) already matches the model; nothing was done")
        }
        try Output.line(
            rehearse
                ? "a copy of \(store.shown) was migrated without an error; \(store.shown) is unchanged"
                : "migrated \(store.shown)"
                    + (backup.map { "; a copy of the old store is \($0.shown)" } ?? ""))
    }

    /// Returns the versions of the given model, and the mapping models between them. If the argument is a
    /// store instead of a model, returns an empty history.
    private func history() throws -> ModelHistory {
        let url = try to.url()
        guard StoreRegistry.builtIn.engine(recognizing: .file(url)) == nil else {
            return ModelHistory()
        }
        let folders = try mappings.map { try $0.url() }
        return try ModelHistory(
            contentsOf: url, mappingModelsIn: folders.isEmpty ? nil : folders)
    }

    /// Migrates the store, or a copy of it, and shows the progress.
    private func migrate(
        _ url: URL, _ type: StoreType, with manager: MigrationManager
    ) throws -> MigrationPlan {
        let interruption = Interruption { [manager] in manager.cancelMigration() }
        defer { withExtendedLifetime(interruption) {} }
        let plan = try manager.plan(
            forStoreAt: url, ofType: type, configurationName: configuration)
        let watch = ProgressWatch(manager.progress, plan.isInPlace ? "steps" : "objects")
        defer { watch.end() }
        if rehearse {
            return try manager.rehearseMigration(
                ofStoreAt: url, ofType: type, configurationName: configuration)
        }
        return try manager.migrateStore(
            at: url, ofType: type, configurationName: configuration,
            keepingBackupAt: try backup?.urlOfNewFile())
    }
}

extension MigrationPlan {
    /// Whether the engine changes the store itself, unless it declines because of the content.
    fileprivate var isInPlace: Bool {
        stages.contains { if case .inPlace = $0.method { true } else { false } }
    }
}
