import CairnModel
import CairnStore

/// What an object has in addition to its row: changed values, transient values, and the members of
/// to-many relationships.
///
/// Created when it is first needed. The row stays as it was read, so a comparison tells which values
/// changed and what they were, and undoing a change needs no copy.
final class Overlay {
    // Exclusivity is unchecked, as in ManagedObject: the checks cost as much as setting a value.

    /// The row of the object that has the overlay. `nil` if it has none.
    @exclusivity(unchecked) var row: Row?
    /// The row slots whose value is here and not in the row.
    @exclusivity(unchecked) private(set) var dirty = RowSlotSet()
    /// The values by row slot, or `nil` if no value was written yet. This is manually managed memory,
    /// because an array costs more: it asks the runtime for its class when it is created, for how to
    /// destroy each element when it is deallocated, and for whether it is shared at each write. That is
    /// most of the cost of a new object's values.
    @exclusivity(unchecked) private var values: UnsafeMutablePointer<Value>?
    @exclusivity(unchecked) private var valueCount = 0
    /// The values of properties that rows do not hold, by object slot. Empty if the entity has none.
    @exclusivity(unchecked) private(set) var extras: PerSlot<ObjectSlot, Value>
    /// The members of to-many relationships, by object slot. Empty if the entity has none.
    @exclusivity(unchecked) private var members: PerSlot<ObjectSlot, MemberIDs>
    /// Whether any members were loaded or changed. Otherwise, a save has nothing to write about
    /// members.
    @exclusivity(unchecked) private(set) var hasUsedMembers = false

    /// What was prefetched along paths that begin at the object. `nil` if nothing is held.
    @exclusivity(unchecked) var prefetched: PrefetchedObjects?

    /// - Parameter isNew: whether no store has the object, so that its to-many relationships have no
    ///   stored members.
    init(_ kind: ObjectKind, isNew: Bool) {
        extras = kind.emptyExtras
        members = isNew ? kind.newMembers : kind.unknownMembers
    }

    /// Creates an overlay with the same changes and members, and no row.
    init(copying other: Overlay) {
        dirty = other.dirty
        extras = other.extras
        members = other.members
        hasUsedMembers = other.hasUsedMembers
        guard let values = other.values else { return }
        fill(from: values, count: other.valueCount)
    }

    deinit { freeValues() }

    /// The value of a changed row slot. `nil` if the row's value counts.
    @inline(__always) func value(at slot: RowSlot) -> Value? {
        // Spelt out: a bare nil would be the value that is nil.
        changed(slot).map { .some($0.pointee) } ?? Value?.none
    }

    /// Where the value of a changed row slot is, to be read or replaced. `nil` if the row's value counts.
    @inline(__always) func changed(_ slot: RowSlot) -> UnsafeMutablePointer<Value>? {
        guard dirty.contains(slot), let values, slot.index < valueCount else { return nil }
        return values + slot.index
    }

    /// Whether each of these row slots is changed, and to another value than nil.
    func hasValues(at slots: ContiguousArray<RowSlot>) -> Bool {
        for slot in slots {
            guard let value = changed(slot), !value.pointee.isNull else { return false }
        }
        return true
    }

    /// Whether one of these row slots is changed to nil.
    func hasNull(at slots: ContiguousArray<RowSlot>) -> Bool {
        for slot in slots {
            if let value = changed(slot), value.pointee.isNull { return true }
        }
        return false
    }

    /// Sets a row slot. `nil` removes the change, so that the row's value counts again.
    func set(_ value: Value?, at slot: RowSlot, slotCount: Int) {
        guard let value else {
            changed(slot)?.pointee = .null
            dirty.remove(slot)
            return
        }
        if slot.index >= valueCount { makeRoom(slotCount) }
        guard let values, slot.index < valueCount else { return }
        values[slot.index] = value
        dirty.insert(slot)
    }

    /// Changed row slots and a copy of their values.
    struct ChangedValues {
        let slots: RowSlotSet
        fileprivate let values: PerSlot<RowSlot, Value>

        /// The value of a changed row slot. `nil` if the row's value counts.
        subscript(slot: RowSlot) -> Value? {
            slots.contains(slot) ? .some(values[slot]) : Value?.none
        }
    }

    /// The row slots that are changed now. `nil` if there are none.
    var changedValues: ChangedValues? {
        guard let values, !dirty.isEmpty else { return nil }
        let buffer = UnsafeBufferPointer(start: values, count: valueCount)
        return ChangedValues(slots: dirty, values: PerSlot(ContiguousArray(buffer)))
    }

    /// Sets all row slots, for a new object.
    func setAll(_ values: PerSlot<RowSlot, Value>) {
        freeValues()
        values.elements.withUnsafeBufferPointer {
            if let first = $0.baseAddress { fill(from: first, count: $0.count) }
        }
        dirty = RowSlotSet(of: values)
    }

    /// The values of all row slots if all are changed, as those of a new object are. Otherwise `nil`.
    @inline(__always) var allValues: UnsafePointer<Value>? {
        guard let values, dirty.containsAll(below: valueCount) else { return nil }
        return UnsafePointer(values)
    }

    /// Removes all changes of row slots, so that the row's values count again.
    func clearValues() {
        dirty = RowSlotSet()
        freeValues()
    }

    // MARK: Memory

    // Elements are initialised and destroyed one by one, because `initialize` and `deinitialize` of
    // many elements ask the runtime about each. A value that holds no reference need not be destroyed.

    private func fill(from source: UnsafePointer<Value>, count: Int) {
        let memory = UnsafeMutablePointer<Value>.allocate(capacity: count)
        for slot in 0..<count { (memory + slot).initialize(to: source[slot]) }
        (values, valueCount) = (memory, count)
    }

    private func makeRoom(_ count: Int) {
        let memory = UnsafeMutablePointer<Value>.allocate(capacity: count)
        if let values { memory.moveInitialize(from: values, count: valueCount) }
        for slot in valueCount..<count { (memory + slot).initialize(to: .null) }
        values?.deallocate()
        (values, valueCount) = (memory, count)
    }

    private func freeValues() {
        guard let values else { return }
        for slot in 0..<valueCount {
            switch values[slot] {
            case .null, .boolean, .integer, .double, .float, .date, .uuid, .objectID: continue
            default: (values + slot).deinitialize(count: 1)
            }
        }
        values.deallocate()
        (self.values, valueCount) = (nil, 0)
    }
}

// MARK: What is not in rows

extension Overlay {
    /// Makes room for the additional properties of a subentity's objects.
    func makeRoom(for kind: ObjectKind) {
        extras.extend(with: kind.emptyExtras)
        members.extend(with: kind.unknownMembers)
    }

    /// Sets a transient value.
    func set(_ value: Value, atExtra slot: ObjectSlot) {
        extras[slot] = value
    }

    /// The members of a to-many.
    func members(at slot: ObjectSlot) -> MemberIDs { members[slot] }

    /// Changes the members of a to-many, in place.
    func updateMembers(at slot: ObjectSlot, _ body: (inout MemberIDs) -> Void) {
        hasUsedMembers = true
        members.update(slot, body)
    }

    /// Changes the members of every to-many.
    func updateAllMembers(_ body: (inout MemberIDs) -> Void) {
        guard !members.isEmpty else { return }
        hasUsedMembers = true
        members.updateAll(body)
    }

    /// Replaces temporary IDs with the IDs that the same objects have now.
    func replaceIDs(_ replacements: IDReplacements, of kind: ObjectKind) {
        for slot in kind.toOneSlots {
            guard let value = changed(slot), case .objectID(let id) = value.pointee,
                id.isTemporary, let new = replacements[id]
            else { continue }
            value.pointee = .objectID(new)
        }
        for slot in kind.toOneExtras {
            if case .objectID(let id) = extras[slot], id.isTemporary, let new = replacements[id] {
                extras[slot] = .objectID(new)
            }
        }
        if hasUsedMembers { updateAllMembers { $0.replaceIDs(replacements) } }
    }

    /// Passes each ID that a change may have introduced to `body`.
    func forEachID(_ body: (ObjectID) -> Void) {
        for slot in dirty {
            if case .objectID(let id)? = value(at: slot) { body(id) }
        }
        for case .objectID(let id) in extras.elements { body(id) }
        for members in members.elements { members.current.forEach(body) }
    }

    /// Whether a to-many was changed.
    var hasChangedMembers: Bool { hasUsedMembers && members.elements.contains(where: \.hasChanges) }
}
