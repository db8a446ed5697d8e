import Cairn
import Foundation

/// Migrating a store to a model with one more optional attribute.
struct MigrateStore: Workload {
    let name: String
    let title: String
    let about: About
    /// Whether the engine may change the store in place.
    private let isInPlace: Bool

    /// The engine changes the store in place.
    static let inPlace = MigrateStore(
        name: "migrate-in-place", title: "migrate a store where it is",
        about: About(
            goal: "the same time at every size",
            heldFixed: "all items and folders of a SQLite store; an optional attribute is added",
            varied: "the number of objects: run the row with several sizes"),
        isInPlace: true)

    /// Every object is copied.
    static let copying = MigrateStore(
        name: "migrate-copying", title: "migrate a store by copying it",
        about: About(
            goal: "≤ 1.3 of a plain copy",
            heldFixed: "all items and folders of a store, and a new store of the same engine",
            varied: """
                a copy with StoreCopier; a migration to a model with one more optional attribute, which \
                also copies the file, checks the new store, and gives it the name of the old one
                """,
            rest: "the copy is read back as a whole, which for XML means that it is parsed"),
        isInPlace: false)

    func plan(in setting: Setting) throws -> WorkloadPlan {
        guard setting.engine.isFile, !isInPlace || setting.engine == .sqlite else {
            return .notApplicable(
                because: isInPlace
                    ? "only SQLite stores are migrated in place"
                    : setting.engine.isDurable
                        ? "the row copies the file of a store"
                        : "a store in memory is gone before it can be migrated")
        }
        let url = try setting.itemsURL()
        let migrating = Contender(
            isInPlace ? "Cairn" : "Cairn, migrated", .ours, goal: isInPlace ? nil : .ratio(1.3)
        ) {
            let store = try setting.shelf.fresh(copying: url)
            defer { setting.shelf.discard(store) }
            let manager = MigrationManager(
                destinationModel: try ReferenceModel.withRemark.get(),
                usesStoreSpecificMigrationManager: isInPlace)
            // Makes sure that the copied file is on the medium before time is measured.
            sync()
            var watch = Stopwatch()
            try watch.time { _ = try manager.migrateStore(at: store, ofType: setting.engine) }
            return try sample(watch, of: store, .withRemark, setting)
        }
        let copying = Contender("Cairn, copied", .baseline) {
            let copy = try setting.shelf.fresh()
            defer { setting.shelf.discard(copy) }
            let engine = try StoreRegistry.builtIn.engine(ofType: setting.engine)
            var watch = Stopwatch()
            // Includes opening the store, as `cairn store copy` and migrations do.
            try watch.time {
                let stack = try setting.shelf.open(setting.engine, at: url)
                let store = stack.coordinator.persistentStores[0]
                _ = try StoreCopier(to: engine).copy(store, to: copy)
                try stack.close()
            }
            return try sample(watch, of: copy, .reference, setting)
        }
        return .contests([
            Contest(
                unit: isInPlace ? "store" : "object", durability: setting.engine.durability,
                isInPlace ? [migrating] : [copying, migrating])
        ])
    }

    /// The model with which a store is read back.
    private enum Version { case reference, withRemark }

    private func sample(
        _ watch: Stopwatch, of store: URL, _ version: Version, _ setting: Setting
    ) throws -> Sample {
        let model =
            version == .reference
            ? try ReferenceModel.model.get() : try ReferenceModel.withRemark.get()
        let stack = try setting.shelf.open(setting.engine, at: store, model: model)
        let checksum = try stack.inContext { context in try Proof.checksum(in: context) }
        try stack.close()
        return Sample(
            watch, operations: isInPlace ? 1 : setting.size, checksum: checksum,
            fileBytes: setting.shelf.byteCount(of: store))
    }
}
