import CairnModel
import CairnStore

/// The steps that every change is made of. Each is told to the tracker first, so that the journal
/// notes what was before.
extension ManagedObject {
    /// The overlay, made where there is none.
    final var writableOverlay: Overlay {
        if let overlay { return overlay }
        let new = Overlay(kind, isNew: state.contains(.inserted))
        overlay = new
        return new
    }

    /// Sets a row slot to a value of its type. Fires a fault: a row is written as a whole.
    final func write(_ value: Value, at slot: Int) throws(GraphError) {
        if let overlay = newcomerOverlay, overlay.overwrite(value, at: slot) { return }
        guard let owner else { throw .objectGone(objectID) }
        let row = try realizedRow()
        let overlay = writableOverlay
        let previous = overlay.value(at: slot)
        var isStored = false
        if let row { isStored = try storedValue(at: slot, in: row) == value }
        if previous.map({ $0 == value }) ?? isStored { return }
        owner.tracker.note(self, .updated)
        let new: Value? = isStored ? Value?.none : .some(value)
        willChange(.row(slot: slot))
        overlay.set(new, at: slot, slotCount: kind.layout.slots.count)
        readsRow = row != nil && overlay.dirty.isEmpty
        didChange(.row(slot: slot))
    }

    /// The overlay of an object that is new, which is noted, and that nobody observes: then there is
    /// no stored value to compare with and no one to be told. What an import does for each value.
    @inline(__always) private final var newcomerOverlay: Overlay? {
        guard state.isSuperset(of: [.inserted, .tracked, .touched]), kind.observation == nil,
            let overlay, overlay.row == nil
        else { return nil }
        return overlay
    }

    /// Sets a transient value.
    final func write(_ value: Value, atExtra slot: Int) throws(GraphError) {
        guard let owner else { throw .objectGone(objectID) }
        owner.tracker.note(self, .updated)
        if owner.journal.recordsSteps {
            owner.journal.append(.transient(self, slot: slot, extraValue(at: slot)))
        }
        willChange(.object(slot: slot))
        writableOverlay.set(value, atExtra: slot)
        didChange(.object(slot: slot))
    }

    /// Changes the members of a to-many, and nothing at the other end.
    final func writeMembers(
        _ binding: RelationshipBinding, _ change: Members.Change
    ) throws(GraphError) {
        guard let owner, let slot = binding.storage.objectSlot else {
            throw .objectGone(objectID)
        }
        owner.tracker.note(self, .updated)
        if owner.journal.recordsSteps { try record(change, of: binding, in: owner.journal) }
        willChange(binding.storage)
        writableOverlay.updateMembers(at: slot) { $0.apply(change) }
        didChange(binding.storage)
    }

    /// Makes places of members quick to find where some were removed already.
    final func indexPlaces(of binding: RelationshipBinding) {
        guard let slot = binding.storage.objectSlot else { return }
        overlay?.updateMembers(at: slot) { $0.indexPlaces() }
    }

    /// Notes a change of members before it is made.
    ///
    /// Where there is an order, all but an addition and a move need the whole of it: its places are
    /// not known otherwise.
    private final func record(
        _ change: Members.Change, of binding: RelationshipBinding, in journal: MutationJournal
    ) throws(GraphError) {
        guard !journal.hasOrder(of: self, binding) else { return }
        switch change {
        case .add(let id, _):
            if knownMembers(binding).contains(id) == true { return }
            journal.append(.added(self, binding, id))
        case .remove(let id) where !binding.isOrdered:
            if knownMembers(binding).contains(id) == false { return }
            journal.append(.removed(self, binding, id))
        case .move(let id, let place):
            guard let from = try loadedMembers(binding).index(of: id) else { return }
            journal.append(.moved(self, binding, id, from: from, to: place))
        case .remove, .arrange, .replace:
            journal.noteOrder(try loadedMembers(binding).current, of: self, binding)
        }
    }

    /// Sets the destination of a to-one, and nothing at the other end.
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

    /// The ID of a to-one's destination.
    ///
    /// - Throws: `.objectGone`, `.store`.
    final func destinationID(_ binding: RelationshipBinding) throws(GraphError) -> ObjectID? {
        let value: Value =
            switch binding.storage {
            case .row(let slot): try value(at: slot)
            case .object(let slot): extraValue(at: slot)
            case .none: .null
            }
        if case .objectID(let id) = value { return id }
        return nil
    }

    /// A transient value.
    final func extraValue(at slot: Int) -> Value {
        if case .value(let value) = (overlay?.extras ?? kind.emptyExtras)[slot] {
            value
        } else {
            .null
        }
    }

    /// The members of a to-many, the stored ones fetched where they are not known.
    ///
    /// - Throws: `.store`.
    final func loadedMembers(_ binding: RelationshipBinding) throws(GraphError) -> Members {
        guard let slot = binding.storage.objectSlot else { return .none }
        if let members = overlay?.members(at: slot), !members.isFault { return members }
        guard let owner else { return .none }
        try owner.faults.loadMembers(binding, of: [self])
        return overlay?.members(at: slot) ?? .none
    }

    /// The members of a to-many as far as they are known.
    final func knownMembers(_ binding: RelationshipBinding) -> Members {
        guard let slot = binding.storage.objectSlot else { return .none }
        return overlay?.members(at: slot) ?? (isInserted ? .none : Members())
    }
}
