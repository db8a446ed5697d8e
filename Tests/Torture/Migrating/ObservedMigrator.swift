import Cairn
import CairnStoreCopying
import Foundation
import Synchronization

/// Migrates stores like the registry of the built-in engines, optionally always by copying. Counts the stores
/// that this process migrated.
final class ObservedMigrator: StoreMigrating {
    private let base: any StoreMigrating
    private let copies: Bool
    private let migratedCount = Mutex(0)

    /// The number of stores that this process itself migrated.
    var count: Int { migratedCount.withLock { $0 } }

    init(copies: Bool) throws {
        guard let base = Engines.registry.migrator else {
            throw HarnessFailure("the engines come without migrations")
        }
        self.base = base
        self.copies = copies
    }

    func isMigrating(_ location: StoreLocation) -> Bool { base.isMigrating(location) }

    func waitForMigration(of location: StoreLocation) throws(StoreError) {
        try base.waitForMigration(of: location)
    }

    func finishRestore(
        of location: StoreLocation, registry: StoreRegistry
    ) throws(StoreError) {
        try base.finishRestore(of: location, registry: registry)
    }

    func migrate(_ stores: [StoreToMigrate], history: ModelHistory) throws(GraphError) {
        if PlantedDefect.current == .swapsInTwoSteps { return try swapInTwoSteps(stores, history) }
        let late = LateCode()
        do {
            var migrations = try migrations(stores, history)
            if PlantedDefect.current == .runsCodeLate {
                for index in migrations.indices { late.delayCode(of: &migrations[index]) }
            }
            let plans = try StoreMigration.runTogether(migrations) { _ in .proceed }
            migratedCount.withLock { $0 += plans.count(where: \.isNeeded) }
        } catch .store(let error) {
            throw .store(error)
        } catch {
            throw .store(.unsupported(.memory("a trial"), feature: "\(error)", advice: ""))
        }
        do {
            try late.run()
        } catch {
            throw .store(error)
        }
    }

    private func migrations(
        _ stores: [StoreToMigrate], _ history: ModelHistory
    ) throws(StoreCopyError) -> [StoreMigration] {
        var migrations: [StoreMigration] = []
        for store in stores {
            do {
                var migration = try StoreMigration(
                    store.engine, ofType: store.type, as: store.request)
                migration.history = history
                migration.allowsInPlace = !copies
                migration.defersCleanup = store.defersCleanup
                migration.runCode =
                    MigrationManager(
                        destinationModel: store.request.model, history: history,
                        registry: StoreRegistry()
                    ).codeRunner
                migrations.append(migration)
            } catch {
                throw .store(error)
            }
        }
        return migrations
    }

    /// The planted defect: removes each store before its migrated copy gets the store's name.
    private func swapInTwoSteps(
        _ stores: [StoreToMigrate], _ history: ModelHistory
    ) throws(GraphError) {
        for store in stores {
            guard let url = store.request.location.fileURL else { continue }
            var copy = store
            let other = url.appendingPathExtension("new")
            try? FileManager.default.copyItem(at: url, to: other)
            copy.request.location = .file(other)
            do {
                _ = try StoreMigration.runTogether(try migrations([copy], history)) { _ in .proceed
                }
            } catch {
                throw .store(.unsupported(.file(url), feature: "\(error)", advice: ""))
            }
            unlink(url.path)
            rename(other.path, url.path)
        }
    }
}

/// The planted defect: runs the code of a stage when the migrated copy already has the store's name.
private final class LateCode: Sendable {
    private struct Delayed: Sendable {
        let stage: StageCode
        let run: StageCode.Runner
    }

    private let delayed = Mutex<[Delayed]>([])

    func delayCode(of migration: inout StoreMigration) {
        guard let run = migration.runCode else { return }
        migration.runCode = { (stage, report) throws(StoreError) in
            if stage.isBefore { return try run(stage, report) }
            guard let old = stage.old.location.fileURL else { return }
            // The copy of the old store is gone when the code runs.
            let kept = FileManager.default.temporaryDirectory.appending(path: "old-\(UUID())")
            try? FileManager.default.copyItem(at: old, to: kept)
            var late = stage
            late.old.location = .file(kept)
            late.new.location = stage.location
            self.note(Delayed(stage: late, run: run))
        }
    }

    private func note(_ code: Delayed) { delayed.withLock { $0.append(code) } }

    func run() throws(StoreError) {
        for code in delayed.withLock({ $0 }) {
            try code.run(code.stage) { _ in .proceed }
            if let kept = code.stage.old.location.fileURL {
                try? FileManager.default.removeItem(at: kept)
            }
        }
    }
}
