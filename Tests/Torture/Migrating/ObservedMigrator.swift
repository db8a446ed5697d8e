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

    func migrate(_ stores: [StoreToMigrate], history: ModelHistory) throws(GraphError) {
        if PlantedDefect.current == .swapsInTwoSteps { return try swapInTwoSteps(stores, history) }
        do {
            let plans = try StoreMigration.runTogether(try migrations(stores, history)) { _ in
                .proceed
            }
            migratedCount.withLock { $0 += plans.count(where: \.isNeeded) }
        } catch .store(let error) {
            throw .store(error)
        } catch {
            throw .store(.unsupported(.memory("a trial"), feature: "\(error)", advice: ""))
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
