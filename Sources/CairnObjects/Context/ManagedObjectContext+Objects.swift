import CairnModel
import CairnRows
import CairnStack
import CairnStore
import Synchronization

extension ManagedObjectContext {
    // MARK: Inserting and deleting

    /// Inserts a new object of an entity. The object's initial values are the model's defaults, or those that
    /// its class evaluates for each object.
    ///
    /// - Throws: `.unknownEntity`, `.abstractEntity`, `.wrongThread`.
    @discardableResult
    public func insertNewObject(forEntityName name: String) throws(GraphError) -> ManagedObject {
        try insert(try kinds.kind(named: name))
    }

    /// Inserts a new object of the entity that has this class.
    ///
    /// - Throws: `.classWithoutEntity`, `.classOfSeveralEntities`, `.classTooLate`; `.wrongType` if the
    ///   entity's objects have another class; `.abstractEntity`, `.wrongThread`.
    @discardableResult
    public func insert<T: ManagedObject>(_ objectClass: T.Type) throws(GraphError) -> T {
        try cast(try insert(try kinds.kind(of: objectClass)))
    }

    package func insert(_ kind: ObjectKind) throws(GraphError) -> ManagedObject {
        let object = kind.objectClass.init(try makeSeed(of: kind))
        adopt(inserted: object)
        return object
    }

    /// Inserts an object that was created without a context. Throws as ``makeSeed(of:)`` does.
    package func insert(_ object: ManagedObject, as kind: ObjectKind) throws(GraphError) {
        let seed = try makeSeed(of: kind)
        object.kind = kind
        object.objectID = seed.id
        adopt(inserted: object)
    }

    /// Returns what a new object of the kind is created from, including a new temporary ID.
    ///
    /// - Throws: `.abstractEntity`, `.wrongThread`.
    func makeSeed(of kind: ObjectKind) throws(GraphError) -> ManagedObject._Seed {
        try checkTurn("insert")
        guard !kind.isAbstract else { throw .abstractEntity(kind.entity.name) }
        let id = ObjectID(
            store: source.temporarySpace, rootEntity: kind.rootNumber, entity: kind.number,
            key: TemporaryKeys.next())
        return ManagedObject._Seed(kind: kind, id: id, row: nil)
    }

    /// Registers a newly created object as inserted.
    ///
    /// - Parameter given: See ``ManagedObject/giveDefaults(_:)``.
    func adopt(
        inserted object: ManagedObject,
        _ given: (InitialValue) -> (value: Value, isInitial: Bool)? = { _ in nil }
    ) {
        identityMap.insert(object, for: object.objectID)
        tracker.note(object, .inserted)
        object.giveDefaults(given)
        object.awakeFromInsert()
    }

    /// Marks an object for deletion by the next save. The delete rules of its relationships are applied
    /// when the event ends; see ``processPendingChanges()``. A new object that is deleted never reaches
    /// a store: it leaves the context when the event ends, and does not count as a change.
    ///
    /// - Throws: `.wrongContext`, `.wrongThread`.
    public func delete(_ object: ManagedObject) throws(GraphError) {
        try checkTurn("delete")
        guard object.owner === self else {
            throw .wrongContext(object.objectID, detail: "it cannot be deleted here")
        }
        guard !object.state.contains(.gone) else { return leaveDeleted(object) }
        if markDeleted(object) { events.deletions.noteDeletedByProgram(object) }
        object.isDeletedByRule = false
    }

    /// Removes an object that no store contains any more. There is nothing to save.
    private func leaveDeleted(_ object: ManagedObject) {
        events.touchIfNeeded(object)
        detach(object, isDeleted: true)
        tracker.noteIdle()
    }

    /// Calls the object's `prepareForDeletion()` and marks the object as deleted. Returns `false` if the
    /// object is already deleted, or if this method is already running, because two objects may delete
    /// each other in their hooks.
    func markDeleted(_ object: ManagedObject) -> Bool {
        guard !object.isDeleted, object.state.insert(.preparingForDeletion).inserted else {
            return false
        }
        object.prepareForDeletion()
        object.state.remove(.preparingForDeletion)
        // The hook may have removed the object from the context.
        guard object.owner === self else { return false }
        tracker.note(object, .deleted)
        events.deletions.note(object)
        return true
    }

    /// Sets the store in which the next save will store a new object.
    ///
    /// Without this call, the save stores a new object in the default store of its entity. This is the
    /// first store of the coordinator, in the order of
    /// ``PersistentStoreCoordinator/persistentStores``, that is not read-only, whose configuration includes the entity, and that was not written before the entity was added to
    /// the model. The object's relationships do not influence the choice, so assign the object to the
    /// store of its related objects. A later call replaces an earlier one. The store of an object that
    /// has a permanent ID, or was saved, cannot be changed by this call: move the object.
    ///
    /// - Throws: `.wrongContext`; `.storeIsFixed` if the object's store cannot be changed;
    ///   `.unknownStore` if the store belongs to another coordinator or was removed; `.entityNotTaken`
    ///   if the store's configuration does not include the entity, or the store was written before the
    ///   entity was added to the model; `.store(.readOnly)`; `.wrongThread`. If an error is thrown, the
    ///   object's assignment does not change.
    public func assign(_ object: ManagedObject, to store: any PersistentStore) throws(GraphError) {
        try assign(object, to: store.number)
    }

    /// Sets the store in which the next save will store a new object.
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

    /// Moves a saved object to another store with the next save, together with the objects that its
    /// relationships with the delete rule cascade lead to, and with theirs.
    ///
    /// The save changes both stores or none, like every save over several stores. The objects stay what they
    /// are in this context and its children: the same instances, with their values and relationships. Their IDs
    /// change with the save, and no object has the former IDs then. Their versions start again. Everywhere else,
    /// the former objects are deleted and others are inserted.
    ///
    /// Until the save, fetches of ``FetchRequest/affectedStores`` find the objects in the new store. A rollback,
    /// a refresh without merging, or another call with the former store takes the move back; undo does not. After
    /// the save, nothing of before can be undone. New objects among them are assigned to the store. Moving an
    /// object to the store that it is in has no effect. See docs/several-stores.md.
    ///
    /// The rows, members and large values of the objects are read when they move.
    ///
    /// - Throws: `.relationshipAcrossStores` if a relationship leads from one of the objects to an object that
    ///   stays, or from such an object to one of them; `.entityNotTaken` if the store does not take the entity of
    ///   one of them; `.store(.readOnly)` for either store; `.unknownStore`; `.objectGone` if an object is
    ///   deleted; `.wrongContext`, `.store`, `.wrongThread`. If an error is thrown, nothing has changed.
    public func move(_ object: ManagedObject, to store: any PersistentStore) throws(GraphError) {
        try move([object], to: store)
    }

    /// Moves saved objects to another store with the next save, as `move` does for one object. The objects
    /// may have any relationships to each other.
    ///
    /// - Throws: The same errors as for one object.
    public func move(_ objects: [ManagedObject], to store: any PersistentStore) throws(GraphError) {
        try checkTurn("move")
        for object in objects {
            guard object.owner === self else {
                throw .wrongContext(object.objectID, detail: "it cannot be moved here")
            }
            if object.isDeleted { throw .objectGone(object.objectID, .deletedHere) }
        }
        events.end()
        try ObjectMove(of: objects, to: store.number, in: self).schedule()
    }

    /// Returns whether an object is in one of the stores, or may be stored in one of them when it is
    /// saved.
    ///
    /// The parent chooses the store of its own new objects.
    ///
    /// - Parameter stores: The numbers of the stores. `nil` means all stores.
    package func mayBeStored(_ object: ManagedObject, in stores: [StoreNumber]?) -> Bool {
        guard let stores else { return true }
        if let assigned = savingState.assignments[object] { return stores.contains(assigned) }
        let id = object.objectID
        guard id.isTemporary else { return stores.contains(id.store) }
        guard object.isInserted else {
            return (source as? ParentSource)?.mayBeStored(id, in: stores) ?? true
        }
        let saved = try? source.coordinator?.storeList.store(of: id, assignments: [:])
        return saved.map { stores.contains($0.number) } ?? true
    }

    /// Removes an object from the context for good: it belongs to no context and no store afterwards.
    ///
    /// - Parameters:
    ///   - isDeleted: Whether the object's `isDeleted` is `true` from now on. This is the case if the object
    ///     was not deleted by a save of this context.
    ///   - isElsewhere: Whether others deleted the object.
    func detach(_ object: ManagedObject, isDeleted: Bool = false, isElsewhere: Bool = false) {
        var end: ObjectState = isDeleted ? [.gone, .deleted] : .gone
        // An object that is already gone keeps the reason.
        if isElsewhere || object.absence == .deletedElsewhere { end.insert(.deletedElsewhere) }
        identityMap.remove(object.objectID)
        savingState.assignments[object] = nil
        object.leaveContext(
            keeping: [.tracked, .touched, .touchedBefore, .insertedInEvent],
            as: end)
    }

    // MARK: Objects by ID

    /// Returns the object with an ID if it is registered in the context, and `nil` otherwise. Does not
    /// access a store.
    @inlinable public func registeredObject(for id: ObjectID) -> ManagedObject? {
        registeredEntry(id)?.object
    }

    /// Returns the object with an ID, without reference counting. This function only reads, so callers
    /// that only look at the object need not retain it, which would write to the object.
    @inline(never) @_effects(readonly)
    @usableFromInline func registeredEntry(_ id: ObjectID) -> Uncounted<ManagedObject>? {
        identityMap.entry(currentID(id))
    }

    /// Returns the object with an ID: the registered object, or a fault. Does not access a store, so the
    /// object may not exist. In that case, firing the fault fails.
    ///
    /// - Throws: `.unknownEntity` if the ID belongs to another model; `.wrongThread`.
    public func object(with id: ObjectID) throws(GraphError) -> ManagedObject {
        try checkTurn("object(with:)")
        guard let object = registeredOrFault(currentID(id)) else {
            throw .unknownEntity("\(id)", known: managedObjectModel.entities.map(\.name))
        }
        return object
    }

    /// Returns the object with an ID, with its values.
    ///
    /// - Throws: `.objectGone` if the store does not contain the object; `.store`, `.unknownStore`,
    ///   `.wrongThread`.
    public func existingObject(with id: ObjectID) throws(GraphError) -> ManagedObject {
        try checkTurn("existingObject(with:)")
        let id = currentID(id)
        if let object = identityMap[id] {
            if object.awaitsDeletion { return object }
            _ = try object.realizedRow()
            if object.state.contains(.gone) { throw .objectGone(id, .notInStore) }
            return object
        }
        let isUnknown = id.isTemporary && !source.holdsUnsavedObjects
        let batch = isUnknown ? RowBatch() : try source.rows(for: [id])
        guard let row = batch.rows.first(where: { _ in true }), let object = materialize(row)
        else { throw .objectGone(id, .notInStore) }
        return object
    }

    /// Gives permanent IDs to new objects, so that the IDs can be used elsewhere before the save.
    ///
    /// Objects that already have a permanent ID are skipped. The stores of the other objects can no
    /// longer be changed. Each call asks the stores for keys, so pass many objects in one call. In a
    /// child context, and if the model has relationships without an inverse, a call also examines every
    /// object that has changes.
    ///
    /// - Throws: `.wrongContext`, `.noStore`, `.unknownStore`, `.store`, `.wrongThread`.
    public func obtainPermanentIDs(for objects: [ManagedObject]) throws(GraphError) {
        try checkTurn("obtainPermanentIDs")
        if let stranger = objects.first(where: { $0.owner !== self }) {
            throw .wrongContext(
                stranger.objectID, detail: "this context cannot give it a permanent ID")
        }
        let temporary = objects.map(\.objectID).filter(\.isTemporary)
        let permanent = try source.permanentIDs(
            for: temporary, assignments: assignmentsByID)
        // A parent has already announced the new IDs.
        remoteChanges.readNewIDs()
        remoteChanges.announceIDs(IDReplacements(temporary, permanent))
    }

    /// The stores that objects were explicitly assigned to, by the objects' current IDs.
    var assignmentsByID: [ObjectID: StoreNumber] {
        var stores: [ObjectID: StoreNumber] = [:]
        for (object, store) in savingState.assignments where !object.isDeleted {
            stores[object.objectID] = store
        }
        return stores
    }

    // MARK: Making objects

    /// Returns the permanent ID that replaced a temporary ID. Returns other IDs unchanged.
    func currentID(_ id: ObjectID) -> ObjectID {
        id.isTemporary ? replacedIDs[id] ?? id : id
    }

    /// Returns the IDs, with temporary IDs replaced by their permanent IDs. Usually no ID is temporary, and then
    /// the array has room for more, so that adding a member to many does not copy all of them.
    func currentIDs(_ ids: ArraySlice<ObjectID>) -> [ObjectID] {
        if ids.contains(where: \.isTemporary) { return ids.map(currentID) }
        var list: [ObjectID] = []
        list.reserveCapacity(ids.count + ids.count / 8)
        list += ids
        return list
    }

    /// Returns the registered object with an ID, or creates a fault. Returns `nil` for an ID of another
    /// model, and for a temporary ID that belongs to no object.
    @usableFromInline func registeredOrFault(_ id: ObjectID) -> ManagedObject? {
        if let object = registered(id) { return object }
        guard !id.isTemporary || source.holdsUnsavedObjects,
            let kind = kinds.kind(numbered: id.entity)
        else { return nil }
        let id = currentID(id)
        let object = kind.objectClass.init(
            ManagedObject._Seed(kind: kind, id: id, row: nil))
        identityMap.insert(object, for: id)
        return object
    }

    /// Returns the registered object with an ID, or creates a fault, as an instance of a class. Returns `nil`
    /// for an ID of another model, and for a temporary ID that belongs to no object.
    ///
    /// - Throws: `.classDoesNotFit` or `.classTooLate`, with the reason why the object
    ///   is not an instance of the class.
    func registeredOrFault<Object: ManagedObject>(
        _ id: ObjectID, as objectClass: Object.Type
    ) throws(GraphError) -> Object? {
        guard let object = registeredOrFault(id) else { return nil }
        if let object = object as? Object { return object }
        throw kinds.refusal(of: objectClass, for: object.entity)
    }

    /// Returns the registered object with an ID, even if its new ID has not been read from the inbox
    /// yet.
    @inline(__always) private func registered(_ id: ObjectID) -> ManagedObject? {
        if let object = identityMap[id] { return object }
        guard reading.holdsUnsavedObjects else { return nil }
        // A save in progress knows its objects by the IDs that they had when the save began.
        settle()
        remoteChanges.readNewIDs()
        return identityMap[currentID(id)]
    }

    /// Applies the IDs that others' saves have given to objects, before rows with these IDs become objects.
    package func readNewIDs() { remoteChanges.readNewIDs() }

    /// Returns the object of a row. If the object is a fault, it gets the row's values; if it already
    /// has values, it keeps them. Returns `nil` for a row of another model.
    package func materialize(_ row: Row) -> ManagedObject? {
        guard let kind = kinds.kind(numbered: row.entity) else { return nil }
        return object(of: row, kind)
    }

    /// Calls `body` with the object of each row, in the order of the batch.
    func materializeAll(_ batch: RowBatch, _ body: (ManagedObject) -> Void) {
        var last: ObjectKind?
        for index in batch.rowIndices {
            let row = batch[row: index]
            // Consecutive rows are usually of the same kind.
            let kind = last?.number == row.entity ? last : kinds.kind(numbered: row.entity)
            guard let kind else { failUnknown(row.id) }
            last = kind
            body(object(of: row, kind))
        }
    }

    /// Stops the program: a source must only return objects of its model.
    func failUnknown(_ id: ObjectID) -> Never {
        preconditionFailure("the object ID \(id) belongs to another model")
    }

    @inline(__always) private func object(of row: Row, _ kind: ObjectKind) -> ManagedObject {
        let rowID = row.id
        if let object = registered(rowID) {
            if object.row == nil { object.fill(with: row) }
            return object
        }
        let id = currentID(rowID)
        let object = kind.objectClass.init(
            ManagedObject._Seed(kind: kind, id: id, row: row))
        identityMap.insert(object, for: id)
        object.wake()
        return object
    }

    /// - Throws: `.wrongType` if the object has another class.
    package func cast<T: ManagedObject>(_ object: ManagedObject) throws(GraphError) -> T {
        guard let cast = object as? T else {
            throw .wrongType(
                entity: object.entity.name, property: "self", expected: "the class \(T.self)",
                found: "the class \(type(of: object))")
        }
        return cast
    }
}

extension ManagedObject {
    /// Removes the context, the values and the state, except for the flags in `kept`.
    ///
    /// - Parameter end: The flags that the object has from now on.
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
