import CairnModel
import CairnRows
import CairnStack

/// The elementary steps of every change. The tracker is notified before each step, so that the journal
/// records the previous state.
extension ManagedObject {
    /// The overlay, created if the object does not have one.
    final var writableOverlay: Overlay {
        if let overlay { return overlay }
        let new = Overlay(kind, isNew: state.contains(.inserted))
        new.row = row
        adopt(overlay: new)
        if kind.hasInitialValues { giveInitialExtras(new) }
        return new
    }

    /// Sets a new object's values to the model's defaults and to the initial values of its class.
    ///
    /// - Parameter given: Returns the value to use instead of an initial value that would be evaluated, and
    ///   whether it counts as an initial value. Values that the program sets do not.
    final func giveDefaults(
        _ given: (InitialValue) -> (value: Value, isInitial: Bool)? = { _ in nil }
    ) {
        let new = Overlay(kind, isNew: true)
        new.setAll(kind.defaults)
        adopt(overlay: new)
        if kind.hasInitialValues { giveInitialValues(new, given) }
    }

    // Few classes have values to evaluate. The two functions are not inlined, so that their callers stay small
    // enough to be inlined wherever a value is set.

    @inline(never) private func giveInitialExtras(_ overlay: Overlay) {
        for initial in kind.initialValues {
            if case .object(let slot) = initial.storage {
                overlay.set(initial.make(), atExtra: slot)
            }
        }
    }

    @inline(never) private func giveInitialValues(
        _ overlay: Overlay, _ given: (InitialValue) -> (value: Value, isInitial: Bool)?
    ) {
        for initial in kind.initialValues {
            let given = given(initial)
            let value = given.map { initial.checked($0.value) } ?? initial.make()
            switch initial.storage {
            case .row(let slot):
                overlay.set(.some(value), at: slot, slotCount: kind.layout.slots.count)
                if given?.isInitial ?? true { overlay.noteInitial(value, at: slot) }
            case .object(let slot): overlay.set(value, atExtra: slot)
            case .none: break
            }
        }
    }

    /// Sets a row slot to a value of its type. Fires a fault, because a row is always written as a whole.
    final func write(_ value: Value, at slot: RowSlot) throws(GraphError) {
        if let pointer = insertedValuePointer(of: slot) {
            pointer.pointee = value
            return
        }
        guard let owner else { throw .objectGone(objectID, absence) }
        let row = try realizedRow()
        var isStored = false
        if let row { isStored = try holds(value, at: slot, in: row) }
        if let previous = overlay?.changed(slot) {
            if previous.pointee == value { return }
        } else if isStored {
            return
        }
        owner.tracker.note(self, .updated)
        let overlay = writableOverlay
        willChange(.row(slot))
        overlay.set(
            isStored ? Value?.none : .some(value), at: slot, slotCount: kind.layout.slots.count)
        readsRow = row != nil && overlay.dirty.isEmpty
        didChange(.row(slot))
    }

    /// Returns a pointer to the value if the object is new, already noted as changed, and not observed.
    /// Otherwise, returns `nil`. Such an object has no stored value to compare with and no observer to
    /// notify. This is the path that an import takes for each value.
    @inline(__always)
    final func insertedValuePointer(of slot: RowSlot) -> UnsafeMutablePointer<Value>? {
        guard state.isSuperset(of: [.inserted, .tracked, .touched]), kind.observation == nil,
            let overlay, overlay.row == nil
        else { return nil }
        return overlay.changed(slot)
    }

    /// Returns whether a row has this value. The most frequent types are compared with the row's bytes
    /// directly, without creating a `Value`.
    private final func holds(
        _ value: Value, at slot: RowSlot, in row: Row
    ) throws(GraphError) -> Bool {
        let layoutSlot = kind.layout[slot]
        switch value {
        case .null: return row.isNull(layoutSlot)
        case .integer(let number) where layoutSlot.kind == .int64:
            return !row.isNull(layoutSlot) && row.int64(layoutSlot) == number
        case .double(let number) where layoutSlot.kind == .double:
            return !row.isNull(layoutSlot) && row.double(layoutSlot).bitPattern == number.bitPattern
        case .string(let text) where layoutSlot.kind == .string:
            if row.isNull(layoutSlot) { return false }
            let bytes = row.unsafeBytes(layoutSlot)
            return bytes.count == text.utf8.count && bytes.elementsEqual(text.utf8)
        default: return try storedValue(at: slot, in: row) == value
        }
    }

    /// Sets the value of a transient property.
    final func write(_ value: Value, atExtra slot: ObjectSlot) throws(GraphError) {
        guard let owner else { throw .objectGone(objectID, absence) }
        if extraValue(at: slot) == value { return }
        owner.tracker.note(self, .updated)
        if owner.events.journal.recordsSteps {
            owner.events.journal.append(.transient(self, slot: slot, extraValue(at: slot)))
        }
        willChange(.object(slot))
        writableOverlay.set(value, atExtra: slot)
        didChange(.object(slot))
    }

    /// Changes the members of a to-many relationship, at this end only.
    final func writeMembers(
        _ binding: RelationshipBinding, _ change: MemberIDs.Change
    ) throws(GraphError) {
        guard let owner, let slot = binding.storage.objectSlot else {
            throw .objectGone(objectID, absence)
        }
        owner.tracker.note(self, .updated)
        if owner.events.journal.recordsSteps {
            try record(change, of: binding, in: owner.events.journal)
        }
        willChange(binding.storage)
        writableOverlay.updateMembers(at: slot) { $0.apply(change) }
        didChange(binding.storage)
    }

    /// Builds an index of the members' positions if some members were removed already, so that looking up
    /// positions is fast.
    final func indexPositions(of binding: RelationshipBinding) {
        guard let slot = binding.storage.objectSlot else { return }
        overlay?.updateMembers(at: slot) { $0.indexPositions() }
    }

    /// Records a change of members in the journal, before it is made.
    ///
    /// For an ordered relationship, every change except an addition and a move records the whole order,
    /// because the positions are not known otherwise.
    private final func record(
        _ change: MemberIDs.Change, of binding: RelationshipBinding, in journal: MutationJournal
    ) throws(GraphError) {
        guard !journal.hasOrder(of: self, binding) else { return }
        switch change {
        case .add(let id, _):
            if knownMembers(binding).contains(id) == true { return }
            journal.append(.added(self, binding, id))
        case .remove(let id) where !binding.isOrdered:
            if knownMembers(binding).contains(id) == false { return }
            journal.append(.removed(self, binding, id))
        case .move(let id, let index):
            guard let from = try loadedMembers(binding).index(of: id) else { return }
            journal.append(.moved(self, binding, id, from: from, to: index))
        case .remove, .arrange, .replace:
            journal.noteOrder(try loadedMembers(binding).current, of: self, binding)
        }
    }

    /// Sets the destination of a to-one relationship, at this end only.
    final func writeDestination(
        _ id: ObjectID?, of binding: RelationshipBinding
    ) throws(GraphError) {
        let value = id.map(Value.objectID) ?? .null
        switch binding.storage {
        case .row(let slot): try write(value, at: slot)
        case .object(let slot): try write(value, atExtra: slot)
        case .none: break
        }
    }

    /// Returns the ID of a to-one relationship's destination.
    ///
    /// - Throws: `.objectGone`, `.store`.
    final func destinationID(_ binding: RelationshipBinding) throws(GraphError) -> ObjectID? {
        // The row usually has the answer, and then no reference is counted.
        if case .row(let slot) = binding.storage, let values, !store.isTemporary {
            let layoutSlot = kind.layout[slot]
            if values.isNull(layoutSlot) { return nil }
            let id = values.objectID(layoutSlot, in: store)
            // Keys that are not positive belong to objects that a parent has not saved.
            if id.key > 0 { return id }
        }
        let value: Value =
            switch binding.storage {
            case .row(let slot): try value(at: slot)
            case .object(let slot): extraValue(at: slot)
            case .none: .null
            }
        if case .objectID(let id) = value { return id }
        return nil
    }

    /// Returns the value of a transient property.
    final func extraValue(at slot: ObjectSlot) -> Value {
        // Each object has initial values of its own, which need an overlay.
        let isEvaluated = kind.initialValues.contains { $0.storage == .object(slot) }
        let extras = (isEvaluated ? writableOverlay : overlay)?.extras ?? kind.emptyExtras
        // The slot of a to-many relationship has no value.
        return extras.contains(slot) ? extras[slot] : .null
    }

    /// Returns the members of a to-many relationship. Fetches the stored members if they are not known.
    ///
    /// - Throws: `.objectGone` if the members are not known and the object no longer belongs to a
    ///   context; `.store`.
    final func loadedMembers(_ binding: RelationshipBinding) throws(GraphError) -> MemberIDs {
        guard let slot = binding.storage.objectSlot else { return .none }
        if let members = overlay?.members(at: slot), !members.isFault { return members }
        guard let owner else { throw .objectGone(objectID, absence) }
        try owner.faults.loadMembers(binding, of: [self])
        return overlay?.members(at: slot) ?? .none
    }

    /// Returns the members of a to-many relationship, as far as they are known.
    final func knownMembers(_ binding: RelationshipBinding) -> MemberIDs {
        guard let slot = binding.storage.objectSlot else { return .none }
        return overlay?.members(at: slot) ?? (isInserted ? .none : MemberIDs())
    }
}

extension ManagedObject {
    /// Returns the current values, by name, of the attributes and to-one relationships that differ from
    /// the stored values. For a new object, these are all values that are not `nil`. The value of a
    /// to-one relationship is the destination's ID.
    public final func changedValues() -> [String: Value] {
        checkTurn()
        guard let overlay else { return [:] }
        var changed: [String: Value] = [:]
        for slot in overlay.dirty {
            let value = overlay.value(at: slot) ?? .null
            if isInserted, value.isNull { continue }
            changed[kind.layout.property(at: slot).name] = value
        }
        return changed
    }

    /// Returns the names of the to-many relationships whose members or order were changed.
    public final func changedToManyRelationships() -> Set<String> {
        checkTurn()
        return Set(
            kind.relationships.filter { $0.isToMany && knownMembers($0).hasChanges }.map(\.name))
    }

    /// Returns the values, by name, that the attributes and to-one relationships had when they were last
    /// fetched or saved. Returns an empty dictionary for a new object. If the object is a fault, it is
    /// fired; if that fails, the failure is reported and the dictionary is empty.
    ///
    /// - Parameter keys: The names of the properties to return. If `nil`, all attributes and to-one
    ///   relationships are returned. Unknown names are ignored.
    public final func committedValues(forKeys keys: [String]?) -> [String: Value] {
        checkTurn()
        if let successor { return successor.committedValues(forKeys: keys) }
        do {
            return try storedValues(forKeys: keys.map(Set.init))
        } catch {
            report(error)
            return [:]
        }
    }

    private final func storedValues(
        forKeys keys: Set<String>?
    ) throws(GraphError) -> [String: Value] {
        guard let row = try realizedRow() else { return [:] }
        var values: [String: Value] = [:]
        for slot in kind.layout.rowSlots {
            let name = kind.layout.property(at: slot).name
            guard keys?.contains(name) ?? true else { continue }
            values[name] = try storedValue(at: slot, in: row)
        }
        return values
    }
}
