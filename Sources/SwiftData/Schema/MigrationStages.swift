internal import CairnGraphFiles
internal import CairnModel
internal import CairnObjects
internal import CairnStack

/// Adds the versions and the code of a migration plan to the history of a model.
struct MigrationStages {
    private let plan: any SchemaMigrationPlan.Type
    /// The names of the entities in each configuration of the newest version.
    private let configurations: [String: [String]]

    init(_ plan: any SchemaMigrationPlan.Type, configurations: [String: [String]]) {
        (self.plan, self.configurations) = (plan, configurations)
    }

    /// - Throws: `.invalid` for a version whose models do not fit each other; `.notFound` for a stage between versions
    ///   that the plan does not list.
    func add(to history: inout ModelHistory) throws(ModelError) {
        var versions: [ObjectIdentifier: Version] = [:]
        for (index, schema) in plan.schemas.enumerated() {
            let version = try Version(schema, configurations)
            versions[ObjectIdentifier(schema)] = version
            guard
                !history.versions.contains(where: { $0.model.versionChecksum == version.checksum })
            else { continue }
            history.versions.insert(
                ModelHistory.Version(name: version.name, model: version.model),
                at: min(index, history.versions.count))
        }
        func version(_ schema: any VersionedSchema.Type) throws(ModelError) -> Version {
            guard let found = versions[ObjectIdentifier(schema)] else {
                throw .notFound(
                    "version \(schema.versionIdentifier) of a stage of \(plan)", searched: [])
            }
            return found
        }
        for stage in plan.stages {
            guard case .custom(let from, let to, let willMigrate, let didMigrate) = stage else {
                continue
            }
            let (old, new) = (try version(from), try version(to))
            history.addStage(
                from: old.model, to: new.model, willMigrate: old.call(willMigrate),
                didMigrate: new.call(didMigrate))
        }
    }

    /// One version of the plan.
    private struct Version: Sendable {
        let schema: Schema
        let model: ManagedObjectModel
        let entities: [ModelEntity]

        /// - Parameter configurations: Those of the newest version. A store keeps its configuration in all versions, because a
        ///   migration that changes it would have to copy the store.
        init(
            _ schema: any VersionedSchema.Type, _ configurations: [String: [String]]
        ) throws(ModelError) {
            self.schema = Schema(versionedSchema: schema)
            let names = self.schema.types.map(ModelEntity.name)
            // Any of the stores may have the models that the newest version lacks.
            let known = Set(configurations.values.joined())
            let own = configurations.mapValues { newest in
                names.filter { newest.contains($0) || !known.contains($0) }
            }
            (model, entities) = try SchemaCompiler(self.schema).model(configurations: own)
        }

        var name: String { "\(schema.version)" }
        var checksum: String { model.versionChecksum }

        /// Returns a handler that calls a stage's code with a context of the version's classes.
        func call(
            _ body: (@Sendable (ModelContext) throws -> Void)?
        ) -> (@Sendable (ManagedObjectContext) throws -> Void)? {
            guard let body else { return nil }
            return { context in
                guard let coordinator = context.persistentStoreCoordinator else { return }
                let container = ModelContainer(ModelStack(schema, entities, coordinator))
                let models = ModelContext(container)
                try body(models)
                try models.save()
            }
        }
    }
}
