import CairnModel
import CairnObjects
import CairnRows
import CairnStack
import CairnStore
import Foundation

/// Changes of many objects in one save, with the memory of the objects of a few thousand of them, and of their rows. If
/// there are very many rows, they wait in a temporary file instead, and are saved in parts (see `docs/queries.md`).
///
/// A batch changes the stores, on any engine and over several stores, all or nothing. The context's own objects do not
/// take part: unsaved changes are not seen, and objects in contexts keep their values until they are merged (see
/// ``BatchResult/changes``) or refreshed. Histories record a batch as one transaction, with the context's author and
/// name. If others save the same objects meanwhile, the batch begins again, at most five times. If the task is
/// cancelled while the parts of a batch are written, it throws `.saveCancelled`, and nothing was saved.
extension ManagedObjectContext {
    /// Sets properties of all objects that match.
    ///
    /// Only attributes, and to-one relationships whose inverse is not to-one, can be set. The new values are validated;
    /// a rule that they break is named for one of the objects. No objects are made if the request sets attributes of
    /// classes that take no part in saves (``CairnObjects/SavePreparing``, ``CairnObjects/ValueValidating``,
    /// ``CairnObjects/ObjectValidating``).
    ///
    /// - Throws: `.unknownEntity`, `.predicate`; `.unknownProperty`, `.wrongType`, `.transformation` for values that
    ///   do not fit; `.validation`; `.batchRefused` for a relationship that cannot be set; `.store` with
    ///   `.uniquenessConflicts` if objects would have equal unique values, with `.rowConflicts` if others kept on
    ///   saving the same objects, and other errors of the stores; `.notConnected`, `.wrongThread`. Nothing was saved.
    @discardableResult
    public func execute(_ request: BatchUpdateRequest) throws -> BatchResult {
        var fetch = FetchRequest<ManagedObject>(request.entityName)
        fetch.predicate = request.predicate
        fetch.includesSubentities = request.includesSubentities
        fetch.affectedStores = request.affectedStores
        let change = { (object: ManagedObject) throws in
            for (name, value) in request.propertiesToUpdate {
                switch value {
                case is NSNull: try object.setValue(nil, forKey: name)
                case let id as ObjectID:
                    try object.setValue(
                        try object.managedObjectContext?.object(with: id), forKey: name)
                default: try object.setValue(value, forKey: name)
                }
            }
        }
        let names = Array(request.propertiesToUpdate.keys)
        guard try areChangedAlone(names, of: request.entityName) else {
            return try update(fetch, request.resultType, change)
        }
        return try save(request.resultType, repeating: .after(references: false)) { stack in
            let collected = BatchContent(
                stack.layouts, keepsIDs: request.resultType == .objectIDs)
            let collector = BatchCollector(stack, try entity(of: fetch))
            struct Group: Hashable { let entity: EntityNumber, store: StoreNumber }
            try visit(fetch, in: stack) { rows in
                let groups = Dictionary(grouping: rows.rows) {
                    Group(entity: $0.entity, store: $0.id.store)
                }
                for rows in groups.values.sorted(by: { $0[0].id.precedes($1[0].id) }) {
                    try collector.update(rows, names, into: collected, objectClasses, change)
                }
            }
            return collected
        }
    }

    /// Whether setting properties of an entity's objects, or of those of its subentities, changes nothing else and
    /// calls no code of the program, so that rows can be changed without objects.
    private func areChangedAlone(
        _ names: [String], of entity: String
    ) throws(GraphError) -> Bool {
        try kinds.kind(named: entity).entity.hierarchy.allSatisfy { entity in
            let objectClass = kinds.kind(numbered: entity.number)?.objectClass
            return names.allSatisfy { entity.attribute(named: $0)?.isTransient == false }
                && !(objectClass is any SavePreparing.Type)
                && !(objectClass is any ValueValidating.Type)
                && !(objectClass is any ObjectValidating.Type)
        }
    }

    /// Changes all objects of a class that match.
    ///
    /// ```swift
    /// try context.updateAll(Book.self, where: #Predicate { $0.year < 1900 }) { $0.price *= 2 }
    /// ```
    ///
    /// - Parameters:
    ///   - objectClass: The class of the objects. Objects of subentities also match.
    ///   - predicate: The condition for objects that are changed. `nil` means all objects of the class.
    ///   - change: Changes one object, which it must not keep. It may be called more than once for an object,
    ///   always with the stored values.
    /// - Throws: as ``execute(_:)-(BatchUpdateRequest)``, and what `change` throws.
    @discardableResult
    public func updateAll<Object: ManagedObject>(
        _ objectClass: Object.Type, where predicate: Predicate<Object>? = nil,
        _ change: (Object) throws -> Void
    ) throws -> BatchResult {
        try updateAll(try request(for: objectClass, where: predicate), change)
    }

    /// Changes all objects that a request finds.
    ///
    /// - Parameters:
    ///   - request: The request, whose limit, offset and stores also decide which objects these are.
    ///   - change: as for ``updateAll(_:where:_:)``.
    /// - Throws: as ``execute(_:)-(BatchUpdateRequest)``, and what `change` throws.
    @discardableResult
    public func updateAll<Object: ManagedObject>(
        _ request: FetchRequest<Object>, _ change: (Object) throws -> Void
    ) throws -> BatchResult {
        try update(request, .objectIDs, change)
    }

    /// Deletes all objects that match, or that have given IDs.
    ///
    /// Objects are not validated, and their hooks are not called.
    ///
    /// - Throws: `.unknownEntity`, `.predicate`; `.validation` if a deny rule forbids a deletion, or if a required
    ///   to-one relationship would lose its destination; `.store` with `.referenceConflicts` if references to deleted
    ///   objects would stay, and other errors of the stores; `.notConnected`, `.wrongThread`. Nothing was deleted.
    @discardableResult
    public func execute(_ request: BatchDeleteRequest) throws -> BatchResult {
        try save(
            request.resultType, repeating: .after(references: request.appliesDeleteRules)
        ) { stack in
            var deletion = try BatchDeletion(
                in: stack, appliesRules: request.appliesDeleteRules,
                keepsIDs: request.resultType == .objectIDs)
            switch request.objects {
            case .ids(let ids): try deletion.delete(try deletion.source.freshRows(for: ids))
            case .matching(var fetch):
                fetch.affectedStores = request.affectedStores
                try visit(fetch, in: deletion.source, reading: BatchDeletion.slots) {
                    try deletion.delete($0)
                }
            }
            return try deletion.changes()
        }
    }

    /// Deletes all objects of a class that match, and applies their delete rules.
    ///
    /// - Throws: as ``execute(_:)-(BatchDeleteRequest)``; `.classWithoutEntity`.
    @discardableResult
    public func deleteAll<Object: ManagedObject>(
        _ objectClass: Object.Type, where predicate: Predicate<Object>? = nil
    ) throws -> BatchResult {
        let matching = try request(for: objectClass, where: predicate)
        var fetch = FetchRequest<ManagedObject>(matching.entityName ?? "")
        fetch.predicate = matching.predicate
        var request = BatchDeleteRequest(fetchRequest: fetch)
        request.resultType = .objectIDs
        return try execute(request)
    }

    /// Inserts objects.
    ///
    /// The new objects are validated. A new object with the unique values of another is treated as the context's
    /// ``CairnObjects/ManagedObjectContext/mergePolicy`` says, if it is a standard policy:
    ///
    /// | Policy | stored object | several new objects |
    /// |---|---|---|
    /// | `error` | the request fails | the request fails |
    /// | `mergeByPropertyStoreTrump`, `rollback` | stays as it is | the first is inserted |
    /// | `mergeByPropertyObjectTrump` | gets the values that are set and not the default | the last is inserted |
    /// | `overwrite` | gets all values | the last is inserted |
    ///
    /// - Throws: `.unknownEntity`, `.abstractEntity`; `.unknownProperty`, `.wrongType`, `.transformation` for values
    ///   that do not fit; `.validation`; `.batchRefused` for relationships other than those that
    ///   ``execute(_:)-(BatchUpdateRequest)`` sets; `.store` with `.uniquenessConflicts`, and other errors of the
    ///   stores; `.notConnected`, `.wrongThread`; what the request's handler throws. Nothing was inserted.
    @discardableResult
    public func execute(_ request: BatchInsertRequest) throws -> BatchResult {
        try insert(request.entityName, request.resultType, request.fill)
    }

    /// Inserts an object of a class for each element of a sequence.
    ///
    /// ```swift
    /// try context.insertAll(Book.self, from: lines) { book, line in book.title = line.title }
    /// ```
    ///
    /// - Parameters:
    ///   - objectClass: The class of the objects.
    ///   - elements: What the objects are made from, in order.
    ///   - fill: Sets the values of one new object, which it must not keep.
    /// - Throws: as ``execute(_:)-(BatchInsertRequest)``, and what `fill` throws.
    @discardableResult
    public func insertAll<Object: ManagedObject, Elements: Sequence>(
        _ objectClass: Object.Type, from elements: Elements,
        _ fill: (Object, Elements.Element) throws -> Void
    ) throws -> BatchResult {
        let entity = try kinds.kind(of: objectClass).entity.name
        var rest = elements.makeIterator()
        return try insert(entity, .objectIDs) { object in
            guard let element = rest.next(), let object = object as? Object else { return false }
            try fill(object, element)
            return true
        }
    }
}

extension ManagedObjectContext {
    private func update<Object: ManagedObject>(
        _ fetch: FetchRequest<Object>, _ resultType: BatchResultType,
        _ change: (Object) throws -> Void
    ) throws -> BatchResult {
        try save(resultType, repeating: .after(references: false)) { stack in
            let collected = BatchContent(stack.layouts, keepsIDs: resultType == .objectIDs)
            let collector = BatchCollector(stack, try entity(of: fetch))
            try visit(fetch, in: stack) { rows in
                try collector.collect(
                    into: collected, objectClasses, updating: rows.ids
                ) { context in
                    for row in rows.rows {
                        if let object = context.materialize(row) as? Object { try change(object) }
                    }
                }
            }
            return collected
        }
    }

    private func insert(
        _ name: String, _ resultType: BatchResultType, _ fill: (ManagedObject) throws -> Bool
    ) throws -> BatchResult {
        try checkTurn("execute(_:)")
        let entity = try kinds.entity(named: name, as: ManagedObject.self)
        let insertion = try BatchInsertion(of: entity, in: self, resultType)
        while try insertion.addSome(objectClasses, fill) {}
        return try save(insertion, resultType)
    }

    /// Saves the objects of an insertion that is complete.
    func save(
        _ insertion: BatchInsertion, _ resultType: BatchResultType = .objectIDs
    ) throws -> BatchResult {
        try save(resultType, repeating: .never(resolvingBy: conflictRule)) { _ in
            insertion.content
        }
    }

    private var conflictRule: UpsertRule? {
        guard let policy = mergePolicy as? StandardMergePolicy else { return nil }
        switch policy.mergeType {
        case .error: return nil
        case .mergeByPropertyStoreTrump, .rollback: return .existing
        case .mergeByPropertyObjectTrump: return .existingWithSetValues
        case .overwrite: return .existingWithAllValues
        }
    }

    private func entity<Object: ManagedObject>(
        of fetch: FetchRequest<Object>
    ) throws(GraphError) -> Entity {
        try kinds.entity(named: fetch.entityName, as: Object.self)
    }

    /// Calls a closure with the rows of the stored objects that a request finds, some thousand at a time. Changes must
    /// begin with these rows: an object that others have changed since may no longer match, and the save notices by its
    /// version.
    private func visit<Object: ManagedObject>(
        _ fetch: FetchRequest<Object>, in state: any ObjectSource,
        reading slots: ((FetchPlan) -> SlotSet)? = nil, _ body: (RowBatch) throws -> Void
    ) throws {
        var plan = try fetch.plan(for: try entity(of: fetch), in: self)
        plan.output = .rows
        let numbers = fetch.affectedStores?.map(\.number)
        let stores = persistentStoreCoordinator?.persistentStores ?? []
        guard stores.allSatisfy({ Swift.type(of: $0).capabilities.readsDuringSave }) else {
            // While a cursor is open, nobody could save to such a store, and neither could the closure.
            let rows = Array(try state.fetch(plan, in: numbers).rows)
            for part in rows.parts(of: BatchCollector.objectCount) { try body(RowBatch(part)) }
            return
        }
        // Rows that a fetch returns are cached, so only a visit may leave values out.
        plan.slots = slots?(plan)
        // A fetch without a limit may be read as a whole, because that is faster.
        plan.limit = plan.limit ?? .max
        try state.visit(plan, in: numbers, batchesOf: BatchCollector.objectCount, body)
    }

    /// What happens if the save of a batch has conflicts.
    private enum Repeating {
        /// The batch begins again if others have saved the same objects since it read them; also if references would
        /// break, in case that is so.
        case after(references: Bool)
        /// The objects cannot be had again. Conflicts of unique values are resolved by the rule, if there is one.
        case never(resolvingBy: UpsertRule?)
    }

    /// Saves the changes that a closure collects.
    private func save(
        _ resultType: BatchResultType, repeating: Repeating,
        _ collect: (PersistentStoreCoordinator) throws -> BatchContent
    ) throws -> BatchResult {
        try checkTurn("execute(_:)")
        guard let stack = persistentStoreCoordinator else { throw GraphError.notConnected }
        var attempts = 0
        var packed = try collect(stack)
        while true {
            packed.author = transactionAuthor
            packed.contextName = name
            if case .never(.some) = repeating { packed.resolvesConflicts = true }
            attempts += 1
            do throws(GraphError) {
                if packed.counts.total > 0 { try stack.save(packed) }
                return BatchResult(packed, resultType)
            } catch {
                guard attempts < Self.mostAttempts else { throw error }
                switch (error, repeating) {
                case (.store(.uniquenessConflicts(let conflicts)), .never(let rule?)):
                    try packed.resolve(conflicts, by: rule)
                case (.store(.rowConflicts), .after), (.store(.referenceConflicts), .after(true)):
                    packed = try collect(stack)
                default: throw error
                }
            }
        }
    }

    private static var mostAttempts: Int { 5 }
}

extension BatchResult {
    fileprivate init(_ content: BatchContent, _ resultType: BatchResultType) {
        self.resultType = resultType
        let counts = content.counts
        count = counts.deleted > 0 ? counts.deleted : counts.inserted + counts.updated
        guard resultType == .objectIDs else {
            (inserted, updated, deleted) = ([], [], [])
            return
        }
        (inserted, updated, deleted) = (
            content.insertedIDs, content.updatedIDs, content.deletedIDs
        )
    }
}
