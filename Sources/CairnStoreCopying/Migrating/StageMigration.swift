import CairnModel
import CairnStore
import Foundation

/// Migrates a store between two versions of its model, at a location that no other process uses.
struct StageMigration {
    private let migration: StoreMigration
    private let stage: MigrationPlan.Stage
    /// The store to migrate. Only this migration uses it.
    private let source: StoreLocation
    /// The location for a copy.
    private let destination: StoreLocation
    private var engine: any FileStore.Type { migration.engine }

    init(
        _ migration: StoreMigration, _ stage: MigrationPlan.Stage, from source: StoreLocation,
        to destination: StoreLocation
    ) {
        self.migration = migration
        self.stage = stage
        self.source = source
        self.destination = destination
    }

    /// Migrates the store.
    ///
    /// - Returns: the location of the migrated store.
    /// - Throws: `.cancelled`, and the errors of reading the old store and saving to the new one.
    func run(
        _ report: (StoreCopyProgress) -> StoreCopyDecision
    ) throws(StoreError) -> StoreLocation {
        if case .inPlace = stage.method, let engine = engine as? any InPlaceMigratingStore.Type {
            let request = request(for: stage.destination, at: source)
            let isDone = try engine.migrateInPlace(request, stage.correspondence) {
                report(StoreCopyProgress(steps: $0, of: $1)) == .proceed
            }
            if isDone { return source }
        }
        do {
            try copy(report)
        } catch {
            throw error.naming(migration.request.location)
        }
        return destination
    }

    private func request(
        for model: ManagedObjectModel, at location: StoreLocation
    ) -> OpenRequest {
        var request = migration.request
        if model !== request.model {
            request = OpenRequest(
                location: location, model: model,
                configuration: request.configuration(in: model), options: request.options)
        }
        request.location = location
        request.isReadOnly = false
        request.createsMissing = false
        return request
    }

    // MARK: Copying

    private func copy(
        _ report: (StoreCopyProgress) -> StoreCopyDecision
    ) throws(StoreError) {
        try shareExternalData()
        let notes = try makeCopy(report)
        // Both stores are closed now. Otherwise, a store that is held in memory as a whole would be
        // there three times.
        try verify(notes)
        removeUnusedExternalData(notes)
    }

    private func makeCopy(
        _ report: (StoreCopyProgress) -> StoreCopyDecision
    ) throws(StoreError) -> CopyNotes {
        let old = try engine.open(self.request(for: stage.source, at: source))
        defer { try? old.close() }
        var request = self.request(for: stage.destination, at: destination)
        request.createsMissing = true
        request.newStoreIdentifier = try old.metadata().identifier
        let new = try engine.open(request)
        let outcome = Result { () throws(StoreError) in try fill(new, from: old, report) }
        // If both fail, the first error is thrown.
        let closing = Result { () throws(StoreError) in try new.close() }
        let notes = try outcome.get()
        try closing.get()
        return notes
    }

    private func fill(
        _ new: any PersistentStore, from old: any PersistentStore,
        _ report: (StoreCopyProgress) -> StoreCopyDecision
    ) throws(StoreError) -> CopyNotes {
        var filling = try StoreFilling(
            of: new, from: old, sharesExternalData: true, isVerified: true)
        filling.nextKeys = try nextKeys(of: old)
        _ = try filling.run(report)
        return filling.notes
    }

    /// Returns the keys that the old store would give next, by root entity of the new model, so
    /// that no key is ever given to two objects. Entities that are no longer part of the store's
    /// configuration are left out.
    private func nextKeys(of old: any PersistentStore) throws(StoreError) -> [EntityNumber: Int64] {
        let correspondence = stage.correspondence
        let held = try CompatibilityCheck.entities(of: old.request)
        let kept = Set(
            try CompatibilityCheck.entities(of: request(for: stage.destination, at: destination))
                .map(\.rootEntity.number))
        let transaction = try old.beginSave()
        defer { transaction.rollback() }
        var next: [EntityNumber: Int64] = [:]
        for root in Set(held.map(\.rootEntity)) {
            let key = try transaction.reserveKeys([root.number: 1])[root.number]?.lowerBound ?? 1
            for entity in root.hierarchy {
                guard let continued = correspondence.newEntity(of: entity),
                    kept.contains(continued.rootEntity.number)
                else { continue }
                next[continued.rootEntity.number, default: 1].formMaximum(with: key)
            }
        }
        return next
    }

    // MARK: External values

    private func files(at location: StoreLocation) -> StoreFileSet? {
        location.fileURL.map { StoreFileSet(engine, at: $0) }
    }

    /// Creates hard links to the files of external values beside the copy.
    private func shareExternalData() throws(StoreError) {
        guard let old = files(at: source), let new = files(at: destination) else { return }
        try old.shareData(with: new)
    }

    /// Removes the links to files that no object of the copy uses.
    private func removeUnusedExternalData(_ notes: CopyNotes) {
        guard let old = files(at: source), let new = files(at: destination) else { return }
        for (from, to) in zip(old.data, new.data) where from.isFolder {
            for name in FileTree(from).names
            where !from.appending(path: name).isFolder
                && !notes.externalNames.contains((name as NSString).lastPathComponent)
            {
                StoreFileSet.remove([to.appending(path: name)])
            }
        }
    }

    // MARK: Verifying

    /// Opens the copy again, and checks that it contains what was written.
    private func verify(_ notes: CopyNotes) throws(StoreError) {
        guard let written = notes.sums else { return }
        var request = request(for: stage.destination, at: destination)
        request.isReadOnly = true
        let copy = try engine.open(request)
        defer { try? copy.close() }
        try CopyVerification(of: copy, at: migration.request.location).run(
            written, notes.writtenRelationships)
    }
}

extension Int64 {
    fileprivate mutating func formMaximum(with other: Int64) { self = Swift.max(self, other) }
}

extension StoreError {
    /// Returns the error with the store's own location instead of the location of a copy in a
    /// hidden folder.
    fileprivate func naming(_ location: StoreLocation) -> StoreError {
        switch self {
        case .uniquenessConflicts(let conflicts):
            .migrationRefused(location, findings: conflicts.map(\.finding).withoutRepeats)
        case .migrationRefused(_, let findings): .migrationRefused(location, findings: findings)
        case .corrupt(_, let part, let detail): .corrupt(location, location: part, detail: detail)
        case .unsupported(_, let feature, let advice):
            .unsupported(location, feature: feature, advice: advice)
        default: self
        }
    }
}

extension UniquenessConflict {
    fileprivate var finding: InferenceFinding {
        InferenceFinding(
            entity, nil,
            "several objects have the same \(constraint.joined(separator: ", ")), which must now be unique"
        )
    }
}

extension [InferenceFinding] {
    fileprivate var withoutRepeats: [InferenceFinding] {
        reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
}
