import CairnModel
import CairnStore
import Foundation

/// Determines how a store has to be changed to fit a model.
struct MigrationPlanner {
    private let migration: StoreMigration
    private var location: StoreLocation { migration.request.location }
    private var model: ManagedObjectModel { migration.request.model }

    init(_ migration: StoreMigration) { self.migration = migration }

    /// - Throws: the errors of ``StoreMigration/plan()``.
    func plan() throws(StoreError) -> MigrationPlan {
        let metadata = try migration.site.metadata(at: location)
        let differences = try differences(metadata)
        if differences == nil, try metadata.hasAllEntities(of: migration.request) {
            if !migration.isAutomatic { try requireNoUnnoticedRenames() }
            return MigrationPlan(location: location, stages: [])
        }
        let source = try sourceModel(of: metadata)
        if migration.isAutomatic, isForeign(source, metadata) {
            throw .modelMismatch(
                location, differences: entityDifferences(metadata.entityVersionHashes))
        }
        let route = try route(from: source)
        let stages = stages(of: route)
        if !migration.infersMappings, stages.contains(where: { $0.mapping == nil }) {
            throw .mappingModelNeeded(location)
        }
        if migration.isAutomatic { try requireOlder(metadata, differences ?? [], stages) }
        let isCopied = stages.count > 1 || stages.contains { $0.method == .copy }
        var plan = MigrationPlan(
            location: location, stages: stages,
            neededByteCount: isCopied ? try copiedByteCount(stages.count) : 0)
        plan.reasonsForStages = route.reasons
        return plan
    }

    /// Returns why the store cannot be opened with the model, or `nil` if it can be opened.
    private func differences(_ metadata: StoreMetadata) throws(StoreError) -> [ModelDifference]? {
        let check = CompatibilityCheck(
            request: migration.request, stored: metadata.entityVersionHashes,
            cachedModel: try? migration.site.model(at: location))
        do {
            try check.run()
            return nil
        } catch .modelMismatch(_, let differences) {
            return differences
        } catch {
            throw error
        }
    }

    /// Checks that the model does not exchange names of the model inside the store, or of the given
    /// version. The version hashes do not show which of the two a store's values belong to.
    ///
    /// - Throws: `.migrationRefused`; the errors of reading the store's metadata.
    private func requireNoUnnoticedRenames() throws(StoreError) {
        var inside = migration.source?.description
        if inside == nil { inside = try migration.site.model(at: location) }
        guard let source = inside.flatMap({ try? ManagedObjectModel($0) }) else { return }
        let held = Set(try CompatibilityCheck.entities(of: migration.request).map(\.name))
        let findings = ModelChanges(from: source, to: model).unnoticedRenames.filter {
            held.contains($0.entity) || model.entity(named: $0.entity) == nil
        }
        guard findings.isEmpty else { throw .migrationRefused(location, findings: findings) }
    }

    /// Checks that the migration undoes no change by a newer version of the program. A program that
    /// does not know the store's version of the model may be the older one.
    ///
    /// - Throws: `.modelMismatch`.
    private func requireOlder(
        _ metadata: StoreMetadata, _ differences: [ModelDifference],
        _ stages: [MigrationPlan.Stage]
    ) throws(StoreError) {
        let isKnown = knownVersion(of: metadata) != nil
        let losesSomething = stages.contains { !$0.verdict.losses.isEmpty }
        guard !isKnown, losesSomething || differences.contains(where: \.storeSeemsNewer) else {
            return
        }
        throw .modelMismatch(
            location,
            differences: differences.map { difference in
                var difference = difference
                difference.storeSeemsNewer = true
                return difference
            })
    }

    // MARK: Models

    /// Returns the version of the model that the store was written with.
    ///
    /// - Throws: `.sourceModelMissing`, `.modelMismatch`, and the errors of reading the store's
    ///   metadata.
    func sourceModel() throws(StoreError) -> ManagedObjectModel {
        try sourceModel(of: migration.site.metadata(at: location))
    }

    /// Returns the version of the model history that the store was written with, or `nil` if the
    /// history does not contain it.
    ///
    /// The hash of an entity with a derived attribute is not conclusive. For such entities, the
    /// model inside the store is compared, too.
    private func knownVersion(of metadata: StoreMetadata) -> ManagedObjectModel? {
        let hashes = metadata.entityVersionHashes
        guard let known = migration.history.version(recordedAs: hashes)?.model else { return nil }
        guard known.entities.contains(where: \.hasDerivedAttribute),
            let description = try? migration.site.model(at: location),
            let inside = try? ManagedObjectModel(description)
        else { return known }
        return ModelChanges(from: inside, to: known).requiresMigration ? nil : known
    }

    private func sourceModel(
        of metadata: StoreMetadata
    ) throws(StoreError) -> ManagedObjectModel {
        let hashes = metadata.entityVersionHashes
        if let source = migration.source {
            let differences = try? source.differences(from: hashes).filter { $0.stored != nil }
            if let differences, !differences.isEmpty, !isInside(source) {
                throw .modelMismatch(location, differences: differences)
            }
            return source
        }
        if let known = knownVersion(of: metadata) { return known }
        guard let inside = try migration.site.model(at: location) else {
            throw .sourceModelMissing(location)
        }
        do {
            return try ManagedObjectModel(inside, recordedHashes: hashes)
        } catch {
            throw .corrupt(location, location: "the model inside the store", detail: "\(error)")
        }
    }

    /// Returns whether the model inside the store has the same hashes, if Cairn computes both. The
    /// hashes that Core Data records for entities with composites are not comparable.
    private func isInside(_ source: ManagedObjectModel) -> Bool {
        let inside = (try? migration.site.model(at: location)).flatMap {
            try? ManagedObjectModel($0)
        }
        return inside.map { !ModelChanges(from: $0, to: source).requiresMigration } ?? false
    }

    /// Returns whether the store's model has no entity in common with this model or with any
    /// version that the program has. Returns `false` if the caller gave the store's version or the
    /// program has it.
    private func isForeign(_ source: ManagedObjectModel, _ metadata: StoreMetadata) -> Bool {
        let history = migration.history
        if migration.source != nil || source.entities.isEmpty || model.entities.isEmpty
            || history.version(recordedAs: metadata.entityVersionHashes) != nil
        {
            return false
        }
        return ([model] + history.versions.map(\.model)).allSatisfy { known in
            let parts = ModelCorrespondence(from: source, to: known)
            return source.entities.allSatisfy { parts.newEntity(of: $0) == nil }
        }
    }

    /// Returns a difference for each entity that only the store or only the model has.
    private func entityDifferences(_ hashes: [String: VersionHash]) -> [ModelDifference] {
        let added = model.entities.filter { hashes[$0.name] == nil }.map {
            ModelDifference(entity: $0.name, stored: nil, model: $0.versionHash)
        }
        let removed = hashes.filter { model.entity(named: $0.key) == nil }.map {
            ModelDifference(entity: $0.key, stored: $0.value, model: nil)
        }
        return (added + removed).sorted { $0.entity < $1.entity }
    }

    private func route(from source: ManagedObjectModel) throws(StoreError) -> MigrationRoute {
        do {
            return try MigrationRoute(from: source, to: model, in: migration.history)
        } catch {
            throw .migrationRefused(location, findings: error.findings)
        }
    }

    private func stages(of route: MigrationRoute) -> [MigrationPlan.Stage] {
        route.stages.map { stage in
            var planned = MigrationPlan.Stage(
                source: stage.source, destination: stage.destination,
                changes: ModelChanges(from: stage.source, to: stage.destination),
                verdict: stage.verdict, mapping: stage.mapping, code: stage.code, method: .copy)
            planned.names = (name(of: stage.source), name(of: stage.destination))
            if let steps = stepsInPlace(of: planned) {
                planned.method = .inPlace(steps: steps.map(\.text))
            }
            return planned
        }
    }

    private func name(of version: ManagedObjectModel) -> String? {
        migration.history.index(of: version).map { migration.history.versions[$0].name }
    }

    /// Returns the steps of a stage in place, or `nil` if the store has to be copied.
    func stepsInPlace(of stage: MigrationPlan.Stage) -> [InPlaceStep]? {
        guard migration.allowsInPlace, !stage.isGiven,
            let engine = migration.engine as? any InPlaceMigratingStore.Type
        else { return nil }
        return engine.stepsInPlace(
            stage.correspondence,
            configuration: migration.request.configuration(in: stage.destination),
            defersCleanup: migration.defersCleanup)
    }

    // MARK: Space

    /// Returns the space in bytes for the copies of the store's file, with a reserve in case the
    /// store grows. Files of external values are linked, and take no space. Returns 0 for a store of a service.
    func copiedByteCount(_ stageCount: Int) throws(StoreError) -> Int64 {
        guard case .file(let store) = migration.site else { return 0 }
        let byteCount = try store.files.mainByteCount
        return byteCount * Int64(stageCount + 1) + byteCount / 4 + 1 << 20
    }
}

extension OpenRequest {
    /// Returns the request's configuration if the given version of the model has it, otherwise
    /// `nil`.
    func configuration(in model: ManagedObjectModel) -> String? {
        configuration.flatMap { model.configurations.contains($0) ? $0 : nil }
    }
}
