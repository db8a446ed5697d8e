import CairnModel
import CairnObjects
import CairnStack
import CairnStore
import CairnStoreCopying

/// Runs the code of one stage of a migration, with objects of the store before and after it.
struct CodeRunner {
    private let stage: StageCode
    private let old: ManagedObjectContext
    private let new: ManagedObjectContext
    private let newStore: StoreNumber

    /// Runs the code of a stage. See `StageCode.Runner`.
    static func run(
        _ stage: StageCode, for manager: MigrationManager,
        _ report: (StoreCopyProgress) -> StoreCopyDecision
    ) throws(StoreError) {
        var entity = ""
        do {
            let old = try Stack(of: stage, stage.old)
            defer { old.close() }
            if stage.isBefore { return try runHandlers(of: stage, old.context, \.willMigrate) }
            let new = try Stack(of: stage, stage.new)
            defer { new.close() }
            let runner = CodeRunner(
                stage: stage, old: old.context, new: new.context, newStore: new.store.number)
            if let mapping = stage.mapping {
                let migration = ObjectMigration(
                    old: old.context, new: new.context, mapping,
                    stores: (old.store.number, new.store.number))
                try manager.withObjects(migration) {
                    try MappingRunner(migration, stage.policies, manager).run(report, &entity)
                }
            }
            try runner.runAll(report, &entity)
            try runHandlers(of: stage, new.context, \.didMigrate)
        } catch let error as StoreError {
            throw error
        } catch GraphError.store(let error) {
            throw error
        } catch {
            throw .migrationFailed(stage.location, entity: entity, error)
        }
    }

    /// A store that only this migration uses, with a context.
    private struct Stack {
        let coordinator: PersistentStoreCoordinator
        let store: any PersistentStore
        let context: ManagedObjectContext

        init(of stage: StageCode, _ request: OpenRequest) throws {
            var registry = StoreRegistry()
            registry.register(stage.engine, type: stage.type)
            coordinator = PersistentStoreCoordinator(
                managedObjectModel: request.model, registry: registry)
            var options = request.options
            options[.readOnly] = .boolean(request.isReadOnly)
            options[.createsMissingStore] = .boolean(false)
            store = try coordinator.addPersistentStore(
                ofType: stage.type, configurationName: request.configuration,
                at: request.location.url,
                options: options)
            let isNew = request.model === stage.new.model
            let classes = isNew ? stage.classes as? ObjectClasses : nil
            context = ManagedObjectContext(
                concurrencyType: .privateQueue, classes: classes ?? ObjectClasses())
            context.persistentStoreCoordinator = coordinator
        }

        func close() { try? coordinator.remove(store) }
    }

    // MARK: Running

    /// Runs code that the program has for a step as a whole.
    private static func runHandlers(
        of stage: StageCode, _ context: ManagedObjectContext,
        _ handler: KeyPath<StepHandlers, StepHandlers.Handler?>
    ) throws {
        for code in stage.code {
            guard let run = (code.body as? StepHandlers)?[keyPath: handler] else { continue }
            try context.performAndWait {
                try run(context)
                try context.save()
            }
        }
    }

    /// - Parameter entity: Set to the name of the entity whose code is running.
    private func runAll(
        _ report: (StoreCopyProgress) -> StoreCopyDecision, _ entity: inout String
    ) throws {
        let ids = try stage.code.map { code in
            guard let entity = code.entity else { return [ObjectID]() }
            return try old.performAndWait {
                try old.idsInStore(FetchRequest<ManagedObject>(entityName: entity))
            }
        }
        let hasExternalValues =
            stage.old.model.entities.contains(where: \.hasExternalValues)
            || stage.new.model.entities.contains(where: \.hasExternalValues)
        let total = ids.reduce(0) { $0 + $1.count }
        var done = 0
        for (code, ids) in zip(stage.code, ids) {
            guard let body = code.body as? ObjectCode else { continue }
            entity = code.entity ?? ""
            var size = BatchSize(hasExternalValues: hasExternalValues)
            var rest = ids[...]
            while !rest.isEmpty {
                let batch = rest.prefix(size.rowCount)
                rest = rest.dropFirst(batch.count)
                let byteCount = try old.performAndWait {
                    try new.performAndWait { try run(body, batch) }
                }
                size.note(byteCount, of: batch.count)
                done += batch.count
                if report(StoreCopyProgress(steps: done, of: total)) == .cancel {
                    throw StoreError.cancelled
                }
            }
        }
    }

    /// Runs code for some objects, and saves. Returns the size of the objects' rows.
    private func run(_ code: ObjectCode, _ ids: ArraySlice<ObjectID>) throws -> Int {
        let pairs = ids.compactMap { id in newID(id).map { (id, $0) } }
        let (oldObjects, oldByteCount) = try old.realizedObjects(with: pairs.map(\.0))
        let (newObjects, newByteCount) = try new.realizedObjects(with: pairs.map(\.1))
        for (object, current) in zip(oldObjects, newObjects) {
            // Code that ran before may have deleted the object.
            if current.isFault || current.isDeleted { continue }
            try code.body(object, current)
        }
        try new.save()
        return oldByteCount + newByteCount
    }

    private func newID(_ id: ObjectID) -> ObjectID? {
        let entity = old.managedObjectModel.entity(numbered: id.entity)
        return entity.flatMap(stage.correspondence.newEntity).map {
            ObjectID(
                store: newStore, rootEntity: $0.rootEntity.number, entity: $0.number, key: id.key)
        }
    }
}

/// The code of a program for a step as a whole.
struct StepHandlers: Sendable {
    typealias Handler = @Sendable (ManagedObjectContext) throws -> Void

    /// Runs with the objects before the step.
    let willMigrate: Handler?
    /// Runs with the objects after the step.
    let didMigrate: Handler?
}

/// The code of a program for one object, before and after a step of a migration.
struct ObjectCode: Sendable {
    let body: @Sendable (_ old: ManagedObject, _ new: ManagedObject) throws -> Void
}

extension ManagedObjectContext {
    /// Returns the IDs of an entity's objects. Empty if the store has a configuration without the entity.
    func idsInStore(_ request: FetchRequest<ManagedObject>) throws(GraphError) -> [ObjectID] {
        do {
            return try fetchIDs(request)
        } catch .noStore {
            return []
        }
    }
}
