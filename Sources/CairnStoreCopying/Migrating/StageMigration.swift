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
    private var engine: any PersistentStore.Type { migration.engine }

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
            let isDone = try engine.migrateInPlace(
                request, stage.correspondence, defersCleanup: migration.defersCleanup
            ) {
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
        try runCodeBefore(report)
        try shareExternalData()
        let (notes, keys) = try makeCopy(report)
        // Both stores are closed now. Otherwise, a store that is held in memory as a whole would be
        // there three times.
        try verify(notes)
        removeUnusedExternalData(notes)
        try runCode(keys, report)
    }

    /// Runs the policies and the code of the stage on the copy, and checks the result.
    private func runCode(
        _ keys: KeyOffsets?, _ report: (StoreCopyProgress) -> StoreCopyDecision
    ) throws(StoreError) {
        guard stage.needsObjects else { return }
        let code = try stageCode(keys)
        try code.run(code.stage, report)
        let copy = try openCopy()
        defer { try? copy.close() }
        try CopyVerification(of: copy, at: migration.request.location).requireValues(
            of: code.stage.mapping == nil ? stage.codedEntities : stage.destination.entities)
    }

    /// Runs the code that the stage has for the old store.
    private func runCodeBefore(
        _ report: (StoreCopyProgress) -> StoreCopyDecision
    ) throws(StoreError) {
        guard stage.code.contains(where: { $0.entity == nil }) else { return }
        var code = try stageCode(nil)
        code.stage.isBefore = true
        code.stage.old.isReadOnly = false
        try code.run(code.stage, report)
    }

    private func stageCode(
        _ keys: KeyOffsets?
    ) throws(StoreError) -> (stage: StageCode, run: StageCode.Runner) {
        let location = migration.request.location
        guard let run = migration.runCode else {
            throw .unsupported(
                location, feature: "code in a migration of a process without objects",
                advice: "Migrate the store with MigrationManager or a coordinator.")
        }
        var old = request(for: stage.source, at: source)
        old.isReadOnly = true
        var mapping: (rules: ResolvedMapping, keys: KeyOffsets)?
        if let rules = stage.mapping?.rules, rules.needsObjects, let keys {
            mapping = (rules, keys)
        }
        let code = StageCode(
            mapping: mapping, policies: stage.mapping?.policies ?? [:],
            classes: migration.history.objectClasses, code: stage.code,
            correspondence: stage.correspondence, engine: engine, type: migration.type, old: old,
            new: request(for: stage.destination, at: destination), location: location)
        return (code, run)
    }

    private func makeCopy(
        _ report: (StoreCopyProgress) -> StoreCopyDecision
    ) throws(StoreError) -> (CopyNotes, KeyOffsets?) {
        let old = try engine.open(self.request(for: stage.source, at: source))
        defer { try? old.close() }
        var request = self.request(for: stage.destination, at: destination)
        request.createsMissing = true
        request.newStoreIdentifier = try old.metadata().identifier
        let new = try engine.open(request)
        let outcome = Result { () throws(StoreError) in try fill(new, from: old, report) }
        // If both fail, the first error is thrown.
        let closing = Result { () throws(StoreError) in try new.close() }
        let result = try outcome.get()
        try closing.get()
        return result
    }

    private func fill(
        _ new: any PersistentStore, from old: any PersistentStore,
        _ report: (StoreCopyProgress) -> StoreCopyDecision
    ) throws(StoreError) -> (CopyNotes, KeyOffsets?) {
        var nextKeys = try nextKeys(of: old)
        let keys = try keyOffsets(after: nextKeys)
        var filling = try StoreFilling(
            of: new, from: old, sharesExternalData: true, isVerified: true
        ) { (old, new, entities) in
            guard let rules = stage.mapping?.rules, let keys else {
                return ContentMapping(
                    from: old, to: new, holding: entities, coded: stage.codedEntities)
            }
            return ContentMapping(rules, keys: keys, from: old, to: new, holding: entities)
        }
        nextKeys = keys?.nextKeys ?? continued(nextKeys)
        filling.nextKeys = try held(nextKeys)
        _ = try filling.run(report)
        return (filling.notes, keys)
    }

    /// Returns the key offsets of the stage's mapping model, or `nil` if the mapping is inferred.
    private func keyOffsets(
        after oldKeys: [EntityNumber: Int64]
    ) throws(StoreError) -> KeyOffsets? {
        guard let rules = stage.mapping?.rules else { return nil }
        do {
            return try KeyOffsets(rules, oldKeys: oldKeys)
        } catch {
            throw .keysExhausted(entity: error.entity.name)
        }
    }

    /// Returns the keys that the old store would give next, by root entity of the old model.
    private func nextKeys(of old: any PersistentStore) throws(StoreError) -> [EntityNumber: Int64] {
        let roots = Set(try CompatibilityCheck.entities(of: old.request).map(\.rootEntity.number))
        let transaction = try old.beginSave()
        defer { transaction.rollback() }
        var next: [EntityNumber: Int64] = [:]
        for root in roots {
            next[root] = try transaction.reserveKeys([root: 1])[root]?.lowerBound ?? 1
        }
        return next
    }

    /// Returns the next keys by root entity of the new model, so that no key is ever given to two objects of
    /// an inferred mapping.
    private func continued(_ oldKeys: [EntityNumber: Int64]) -> [EntityNumber: Int64] {
        let correspondence = stage.correspondence
        var next: [EntityNumber: Int64] = [:]
        for entity in stage.source.entities {
            guard let key = oldKeys[entity.rootEntity.number],
                let continued = correspondence.newEntity(of: entity)
            else { continue }
            next[continued.rootEntity.number, default: 1].formMaximum(with: key)
        }
        return next
    }

    /// Leaves out the root entities that are not part of the store's configuration.
    private func held(
        _ keys: [EntityNumber: Int64]
    ) throws(StoreError) -> [EntityNumber: Int64] {
        let held = Set(
            try CompatibilityCheck.entities(of: request(for: stage.destination, at: destination))
                .map(\.rootEntity.number))
        return keys.filter { held.contains($0.key) }
    }

    // MARK: External values

    private func files(at location: StoreLocation) -> StoreFileSet? {
        guard let engine = engine as? any FileStore.Type else { return nil }
        return location.fileURL.map { StoreFileSet(engine, at: $0) }
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
        let copy = try openCopy()
        defer { try? copy.close() }
        try CopyVerification(of: copy, at: migration.request.location).run(
            written, notes.writtenRelationships, requiringValuesOf: stage.checkedEntities)
    }

    /// Opens the copy for reading.
    private func openCopy() throws(StoreError) -> any PersistentStore {
        var request = request(for: stage.destination, at: destination)
        request.isReadOnly = true
        return try engine.open(request)
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
