import CairnModel
import CairnStore
import Synchronization

extension ManagedObjectContext {
    // MARK: Inserting and deleting

    /// Inserts a new object of the entity. Its values are the model's defaults.
    ///
    /// - Throws: `.unknownEntity`, `.abstractEntity`, `.wrongThread`.
    @discardableResult
    public func insertNewObject(forEntityName name: String) throws(GraphError) -> ManagedObject {
        try insert(try kinds.kind(named: name))
    }

    /// Inserts a new object of the entity that has the class.
    ///
    /// - Throws: `.classWithoutEntity`, `.classOfSeveralEntities`, `.classTooLate`; `.wrongType` if the
    ///   entity's objects are of another class; `.abstractEntity`, `.wrongThread`.
    @discardableResult
    public func insert<T: ManagedObject>(_ objectClass: T.Type) throws(GraphError) -> T {
        try cast(try insert(try kinds.kind(of: objectClass)))
    }

    func insert(_ kind: ObjectKind) throws(GraphError) -> ManagedObject {
        let object = kind.objectClass.init(try birth(of: kind))
        adopt(inserted: object)
        return object
    }

    /// What a new object of the kind is made from: a temporary ID of its own.
    ///
    /// - Throws: `.abstractEntity`, `.wrongThread`.
    func birth(of kind: ObjectKind) throws(GraphError) -> ManagedObject.Birth {
        try checkTurn("insert")
        guard !kind.isAbstract else { throw .abstractEntity(kind.entity.name) }
        let id = ObjectID(
            store: source.temporarySpace, rootEntity: kind.rootNumber, entity: kind.number,
            key: TemporaryKeys.next())
        return ManagedObject.Birth(kind: kind, id: id, row: nil)
    }

    /// Makes a newborn object one of the inserted ones.
    func adopt(inserted object: ManagedObject) {
        identityMap.insert(object, for: object.objectID)
        tracker.note(object, .inserted)
        object.giveDefaults()
        object.awakeFromInsert()
    }

    /// Marks an object to be deleted by the next save. The delete rules of its relationships are
    /// applied when the event ends; see ``processPendingChanges()``. A new object that is deleted
    /// never reaches a store: it leaves the context when the event has ended, and is no change.
    ///
    /// - Throws: `.wrongContext`, `.wrongThread`.
    public func delete(_ object: ManagedObject) throws(GraphError) {
        try checkTurn("delete")
        guard object.owner === self else {
            throw .wrongContext(object.objectID, detail: "it cannot be deleted here")
        }
        guard !object.state.contains(.gone) else { return leaveDeleted(object) }
        if markDeleted(object) { events.deletions.noteDeletedByProgram(object) }
    }

    /// Lets go of an object that is known to be in no store any more: there is nothing to save.
    private func leaveDeleted(_ object: ManagedObject) {
        events.touchIfNeeded(object)
        letGo(of: object, isDeleted: true)
        tracker.noteIdle()
    }

    /// Calls an object's hook and marks the object as deleted. Returns `false` if the object is deleted
    /// already or its hook is running: two objects may delete each other in their hooks.
    func markDeleted(_ object: ManagedObject) -> Bool {
        guard !object.isDeleted, object.state.insert(.parting).inserted else { return false }
        object.prepareForDeletion()
        object.state.remove(.parting)
        // The hook may have had the context let go of it.
        guard object.owner === self else { return false }
        tracker.note(object, .deleted)
        events.deletions.note(object)
        return true
    }

    /// Has the save put a new object into a store, if several could take it.
    ///
    /// Without a call, the save puts a new object into the default store of its entity: the first store
    /// of the coordinator, in the order in which stores were added, that is not read-only, whose
    /// configuration has the entity, and that was not written before the model had it. The relationships
    /// of the object do not influence the choice, so assign it to the store of the objects that it is
    /// related to. A later call replaces an earlier one. An object that has a permanent ID, or was saved,
    /// has its store for good.
    ///
    /// - Throws: `.wrongContext`; `.storeIsFixed` for an object that has its store; `.unknownStore` if
    ///   the store belongs to another coordinator or was removed; `.entityNotTaken` if the store's
    ///   configuration does not have the entity, or the store was written before the model had it;
    ///   `.store(.readOnly)`; `.wrongThread`. The object stays assigned as it was.
    public func assign(
        _ object: ManagedObject, to store: any PersistentStore
    ) throws(GraphError) {
        try assign(object, to: store.number)
    }

    /// Has the save put a new object into a store.
    func assign(_ object: ManagedObject, to store: StoreNumber) throws(GraphError) {
        try checkTurn("assign")
        guard object.owner === self else {
            throw .wrongContext(object.objectID, detail: "it cannot be assigned here")
        }
        guard object.isInserted, object.objectID.isTemporary else {
            throw .storeIsFixed(object.objectID)
        }
        _ = try source.coordinator?.storeList.store(
            numbered: store, for: object.objectID.entity)
        savingState.assignments[object] = store
    }

    /// Returns whether an object is in one of these stores, or will be in one of them when it is saved.
    ///
    /// A new object of a parent context is saved to the store that the parent chooses.
    ///
    /// - Parameter stores: `nil` for all stores.
    func mayBeStored(_ object: ManagedObject, in stores: [StoreNumber]?) -> Bool {
        guard let stores else { return true }
        let id = object.objectID
        guard id.isTemporary else { return stores.contains(id.store) }
        guard object.isInserted else {
            return (source as? ParentSource)?.mayBeStored(id, in: stores) ?? true
        }
        if let assigned = savingState.assignments[object] { return stores.contains(assigned) }
        let saved = try? source.coordinator?.storeList.store(of: id, assignments: [:])
        return saved.map { stores.contains($0.number) } ?? true
    }

    /// Makes an object one that no context and no store has.
    ///
    /// - Parameter isDeleted: whether the object says from now on that it is deleted: if that was not
    ///   done by a save of this context.
    func letGo(of object: ManagedObject, isDeleted: Bool = false) {
        identityMap.remove(object.objectID)
        savingState.assignments[object] = nil
        object.leaveContext(
            keeping: [.tracked, .touched, .touchedBefore, .newborn],
            as: isDeleted ? [.gone, .deleted] : .gone)
    }

    // MARK: Objects by ID

    /// Returns the object with an ID if the context has it, and otherwise `nil`. Asks no store.
    @inlinable public func registeredObject(for id: ObjectID) -> ManagedObject? {
        registeredEntry(id)?.object
    }

    /// The object of an ID, without counting a reference. Nothing but reads happens here, so a caller that only
    /// looks at the object does not have to retain it, which would write to it.
    @inline(never) @_effects(readonly)
    @usableFromInline func registeredEntry(_ id: ObjectID) -> Uncounted<ManagedObject>? {
        identityMap.entry(currentID(id))
    }

    /// Returns the object with an ID: the registered one, or a fault. Asks no store, so the object may
    /// not exist. In that case, firing the fault fails.
    ///
    /// - Throws: `.unknownEntity` if the ID is of another model; `.wrongThread`.
    public func object(with id: ObjectID) throws(GraphError) -> ManagedObject {
        try checkTurn("object(with:)")
        guard let object = registeredOrFault(currentID(id)) else {
            throw .unknownEntity("\(id)", known: managedObjectModel.entities.map(\.name))
        }
        return object
    }

    /// Returns the object with an ID, with its values.
    ///
    /// - Throws: `.objectGone` if the store does not contain the object, `.store`, `.unknownStore`,
    ///   `.wrongThread`.
    public func existingObject(with id: ObjectID) throws(GraphError) -> ManagedObject {
        try checkTurn("existingObject(with:)")
        let id = currentID(id)
        if let object = identityMap[id] {
            if object.awaitsDeletion { return object }
            _ = try object.realizedRow()
            if object.state.contains(.gone) { throw .objectGone(id) }
            return object
        }
        let isUnknown = id.isTemporary && !source.holdsUnsavedObjects
        let batch = isUnknown ? RowBatch() : try source.rows(for: [id])
        guard let row = batch.rows.first(where: { _ in true }), let object = materialize(row)
        else { throw .objectGone(id) }
        return object
    }

    /// Gives permanent IDs to new objects, so that they can be told to others before the save.
    ///
    /// Objects that have one are left alone. Assigns each to its store. Each call asks the stores for
    /// keys: ask for many together. If the model has relationships without an inverse, and in a child
    /// context, a call also looks at every object with changes.
    ///
    /// - Throws: `.wrongContext`, `.noStore`, `.unknownStore`, `.store`, `.wrongThread`.
    public func obtainPermanentIDs(for objects: [ManagedObject]) throws(GraphError) {
        try checkTurn("obtainPermanentIDs")
        if let stranger = objects.first(where: { $0.owner !== self }) {
            throw .wrongContext(stranger.objectID, detail: "it gets its ID there")
        }
        let temporary = objects.map(\.objectID).filter(\.isTemporary)
        let permanent = try source.permanentIDs(
            for: temporary, assignments: savingState.assignments.byID(of: objects))
        // A parent has told already.
        remoteChanges.readNewIDs()
        remoteChanges.announceIDs(IDReplacements(temporary, permanent))
    }

    /// The stores that new objects were assigned to by hand, by the IDs that the objects have now.
    var assignmentsByID: [ObjectID: StoreNumber] {
        savingState.assignments.isEmpty ? [:] : savingState.assignments.byID(of: tracker.inserted)
    }

    // MARK: Making objects

    /// The permanent ID of a temporary one that was replaced.
    func currentID(_ id: ObjectID) -> ObjectID {
        id.isTemporary ? replacedIDs[id] ?? id : id
    }

    /// Returns the IDs with those that were replaced in place of temporary ones. Most sources have none, and
    /// then the IDs are copied together.
    func currentIDs(_ ids: ArraySlice<ObjectID>) -> [ObjectID] {
        ids.contains { $0.isTemporary } ? ids.map(currentID) : Array(ids)
    }

    /// Returns the object of the ID. If the context has no such object, makes it as a fault. Returns `nil` for
    /// an ID of another model, and for a temporary ID of no object.
    @usableFromInline func registeredOrFault(_ id: ObjectID) -> ManagedObject? {
        if let object = registered(id) { return object }
        guard !id.isTemporary || source.holdsUnsavedObjects,
            let kind = kinds.kind(numbered: id.entity)
        else { return nil }
        let id = currentID(id)
        let object = kind.objectClass.init(
            ManagedObject.Birth(kind: kind, id: id, row: nil))
        identityMap.insert(object, for: id)
        return object
    }

    /// The object of an ID. Also finds an object whose new ID has not been read from the inbox yet.
    @inline(__always) private func registered(_ id: ObjectID) -> ManagedObject? {
        if let object = identityMap[id] { return object }
        guard reading.holdsUnsavedObjects else { return nil }
        // A save that is under way knows its objects by the IDs that they had when it began.
        settle()
        remoteChanges.readNewIDs()
        return identityMap[currentID(id)]
    }

    /// Returns the object of a row. A fault gets its values, and an object that has values keeps them.
    /// Returns `nil` for a row of another model.
    func materialize(_ row: Row) -> ManagedObject? {
        guard let kind = kinds.kind(numbered: row.entity) else { return nil }
        return object(of: row, kind)
    }

    /// The same for each row of a batch, in its order.
    func materializeAll(_ batch: RowBatch, _ body: (ManagedObject) -> Void) {
        var last: ObjectKind?
        for index in batch.rowIndices {
            let row = batch[row: index]
            // Rows come in runs of one kind.
            let kind = last?.number == row.entity ? last : kinds.kind(numbered: row.entity)
            guard let kind else { failUnknown(row.id) }
            last = kind
            body(object(of: row, kind))
        }
    }

    /// Stops the program: a source answers with objects of its model only.
    func failUnknown(_ id: ObjectID) -> Never { preconditionFailure("\(id) is of another model") }

    @inline(__always) private func object(of row: Row, _ kind: ObjectKind) -> ManagedObject {
        let rowID = row.id
        if let object = registered(rowID) {
            if object.row == nil { object.fill(with: row) }
            return object
        }
        let id = currentID(rowID)
        let object = kind.objectClass.init(
            ManagedObject.Birth(kind: kind, id: id, row: row))
        identityMap.insert(object, for: id)
        object.wake()
        return object
    }

    /// - Throws: `.wrongType` if the object is of another class.
    func cast<T: ManagedObject>(_ object: ManagedObject) throws(GraphError) -> T {
        guard let cast = object as? T else {
            throw .wrongType(
                entity: object.entity.name, property: "self", expected: "\(T.self)",
                found: "\(type(of: object))")
        }
        return cast
    }
}

extension ManagedObject {
    /// Forgets the context, the values, and all of the state but for what is to be kept.
    ///
    /// - Parameter end: what the object is from now on.
    final func leaveContext(keeping kept: ObjectState, as end: ObjectState) {
        change(allProperties) {
            owner = nil
            row = nil
            overlay = nil
            readsRow = false
            state = state.intersection(kept).union(end)
        }
    }
}
