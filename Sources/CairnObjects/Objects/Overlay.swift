import CairnModel
import CairnRows
import CairnStack

/// The part of an object's state that is not in its row: changed values, transient values, and the members
/// of to-many relationships.
///
/// An overlay is created when it is first needed. The row stays as it was read. A comparison with the row
/// therefore shows which values changed and what they were, and undoing a change needs no copy.
final class Overlay {
    // Exclusivity is unchecked, as in ManagedObject: the checks would cost as much as setting a value
    // does.

    /// The row of the object that has the overlay, or `nil` if the object has no row.
    @exclusivity(unchecked) var row: Row?
    /// The row slots whose current value is in the overlay and not in the row.
    @exclusivity(unchecked) private(set) var dirty = RowSlotSet()
    /// The values by row slot, or `nil` if no value was written yet. The memory is managed manually
    /// because an array costs more: it calls the runtime to find its class when it is created, to destroy
    /// each element when it is deallocated, and to check whether it is shared at each write. These calls
    /// would be most of the cost of a new object's values.
    @exclusivity(unchecked) private var values: UnsafeMutablePointer<Value>?
    @exclusivity(unchecked) private var valueCount = 0
    /// The values of properties that rows do not hold, by object slot. Empty if the entity has no such
    /// properties.
    @exclusivity(unchecked) private(set) var extras: PerSlot<ObjectSlot, Value>
    /// The members of to-many relationships, by object slot. Empty if the entity has no such
    /// relationships.
    @exclusivity(unchecked) private var members: PerSlot<ObjectSlot, MemberIDs>
    /// The values that the class of a new object gave it, and not the program. The program may have replaced
    /// them since. Most classes give no values, and then this is `nil`.
    @exclusivity(unchecked) private var initialValues: [(slot: RowSlot, value: Value)]?
    /// Whether any members were loaded or changed. If `false`, a save has no members to write.
    @exclusivity(unchecked) private(set) var hasUsedMembers = false

    /// The objects that were prefetched along paths that begin at this object. `nil` if no objects are
    /// held.
    @exclusivity(unchecked) var prefetched: PrefetchedObjects?

    /// - Parameter isNew: Whether the object has not been saved, so that its to-many relationships have
    ///   no stored members.
    init(_ kind: ObjectKind, isNew: Bool) {
        extras = kind.emptyExtras
        members = isNew ? kind.newMembers : kind.unknownMembers
    }

    /// Creates an overlay with the same changes and members, but without a row.
    init(copying other: Overlay) {
        dirty = other.dirty
        extras = other.extras
        initialValues = other.initialValues
        members = other.members
        hasUsedMembers = other.hasUsedMembers
        guard let values = other.values else { return }
        fill(from: values, count: other.valueCount)
    }

    deinit { freeValues() }

    /// Returns the value of a changed row slot, or `nil` if the slot is unchanged, so that the row's
    /// value counts.
    @inline(__always) func value(at slot: RowSlot) -> Value? {
        // `Value?.none` is needed: a bare `nil` would mean the value `.null`.
        changed(slot).map { .some($0.pointee) } ?? Value?.none
    }

    /// Returns a pointer to the value of a changed row slot, for reading or replacing it. Returns `nil`
    /// if the slot is unchanged.
    @inline(__always) func changed(_ slot: RowSlot) -> UnsafeMutablePointer<Value>? {
        guard dirty.contains(slot), let values, slot.index < valueCount else { return nil }
        return values + slot.index
    }

    /// Returns whether each of these row slots was changed, to a value that is not null.
    func hasValues(at slots: ContiguousArray<RowSlot>) -> Bool {
        for slot in slots {
            guard let value = changed(slot), !value.pointee.isNull else { return false }
        }
        return true
    }

    /// Returns whether one of these row slots was changed to null.
    func hasNull(at slots: ContiguousArray<RowSlot>) -> Bool {
        for slot in slots {
            if let value = changed(slot), value.pointee.isNull { return true }
        }
        return false
    }

    /// Sets a row slot. If the value is `nil`, removes the change, so that the row's value counts again.
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

    /// Records the initial value that the class of a new object gave it.
    func noteInitial(_ value: Value, at slot: RowSlot) {
        initialValues = (initialValues ?? []) + [(slot, value)]
    }

    /// The value that the class of a new object gave it at a row slot. `nil` if the class gave it none.
    func initialValue(at slot: RowSlot) -> Value? {
        initialValues?.first { $0.slot == slot }?.value
    }

    /// The row slots that still have the values that the class of a new object gave it.
    var initialSlots: [RowSlot] {
        initialValues?.compactMap { changed($0.slot)?.pointee == $0.value ? $0.slot : nil } ?? []
    }

    /// A set of changed row slots and a copy of their values.
    struct ChangedValues {
        let slots: RowSlotSet
        fileprivate let values: PerSlot<RowSlot, Value>

        /// The value of a changed row slot, or `nil` if the slot is unchanged.
        subscript(slot: RowSlot) -> Value? {
            slots.contains(slot) ? .some(values[slot]) : Value?.none
        }
    }

    /// The row slots that are currently changed, with their values. `nil` if no row slot is changed.
    var changedValues: ChangedValues? {
        guard let values, !dirty.isEmpty else { return nil }
        let buffer = UnsafeBufferPointer(start: values, count: valueCount)
        return ChangedValues(slots: dirty, values: PerSlot(ContiguousArray(buffer)))
    }

    /// Sets all row slots of a new object.
    func setAll(_ values: PerSlot<RowSlot, Value>) {
        freeValues()
        values.elements.withUnsafeBufferPointer {
            if let first = $0.baseAddress { fill(from: first, count: $0.count) }
        }
        dirty = RowSlotSet(of: values)
    }

    /// The values of all row slots, if all of them are changed, as in a new object. Otherwise `nil`.
    @inline(__always) var allValues: UnsafePointer<Value>? {
        guard let values, dirty.containsAll(below: valueCount) else { return nil }
        return UnsafePointer(values)
    }

    /// Removes the changes of all row slots, so that the row's values count again.
    func clearValues() {
        dirty = RowSlotSet()
        freeValues()
    }

    // MARK: Memory

    // Elements are initialised and destroyed one by one, because `initialize` and `deinitialize` of many
    // elements call the runtime for each. A value that holds no reference need not be destroyed.

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

// MARK: Properties that are not stored in rows

extension Overlay {
    /// Adds slots for the properties that a subentity has in addition.
    func makeRoom(for kind: ObjectKind) {
        extras.extend(with: kind.emptyExtras)
        members.extend(with: kind.unknownMembers)
    }

    /// Sets the value of a transient property.
    func set(_ value: Value, atExtra slot: ObjectSlot) {
        extras[slot] = value
    }

    /// Returns the members of a to-many relationship.
    func members(at slot: ObjectSlot) -> MemberIDs { members[slot] }

    /// Changes the members of a to-many relationship in place.
    func updateMembers(at slot: ObjectSlot, _ body: (inout MemberIDs) -> Void) {
        hasUsedMembers = true
        members.update(slot, body)
    }

    /// Changes the members of every to-many relationship.
    func updateAllMembers(_ body: (inout MemberIDs) -> Void) {
        guard !members.isEmpty else { return }
        hasUsedMembers = true
        members.updateAll(body)
    }

    /// Replaces IDs with the new IDs of the same objects.
    func replaceIDs(_ replacements: IDReplacements, of kind: ObjectKind) {
        for slot in kind.toOneSlots {
            guard let value = changed(slot), case .objectID(let id) = value.pointee else {
                continue
            }
            value.pointee = .objectID(replacements.current(id))
        }
        for slot in kind.toOneExtras {
            guard case .objectID(let id) = extras[slot] else { continue }
            extras[slot] = .objectID(replacements.current(id))
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

    /// Whether a to-many relationship was changed.
    var hasChangedMembers: Bool { hasUsedMembers && members.elements.contains(where: \.hasChanges) }
}
