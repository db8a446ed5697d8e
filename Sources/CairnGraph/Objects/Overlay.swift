import CairnModel
import CairnStore

/// What an object has beside its row: changed values, transient ones, and to-many members.
///
/// Made when first needed. The row stays as it was read, so what changed and what was committed
/// are told by comparing, and taking a change back needs no copy.
final class Overlay {
    // Exclusivity is unchecked, as in ManagedObject: the checks cost as much as setting a value.

    /// The row of the object that has the overlay; nil: it has none.
    @exclusivity(unchecked) var row: Row?
    /// The row slots whose value is here and not in the row.
    @exclusivity(unchecked) private(set) var dirty = SlotSet()
    /// By row slot; empty until one is written.
    @exclusivity(unchecked) private var values: ContiguousArray<Value> = []
    /// By object slot.
    @exclusivity(unchecked) private(set) var extras: ContiguousArray<ExtraValue>
    /// Whether members were loaded or changed: no save has anything to say about others.
    @exclusivity(unchecked) private(set) var hasUsedMembers = false

    /// - Parameter isNew: of an object that no store has: its to-manys have no stored members.
    init(_ kind: ObjectKind, isNew: Bool) {
        extras = isNew ? kind.newExtras : kind.emptyExtras
    }

    /// Makes an overlay with the same changes and members, and no row.
    init(copying other: Overlay) {
        dirty = other.dirty
        values = other.values
        extras = other.extras
        hasUsedMembers = other.hasUsedMembers
    }

    /// The value of a changed row slot; nil where the row's counts.
    @inline(__always) func value(at slot: Int) -> Value? {
        // Spelt out: a bare nil would be the value that is nil.
        dirty.contains(slot) ? .some(values[slot]) : Value?.none
    }

    /// Whether a row slot is changed, and to another value than nil.
    @inline(__always) func hasValue(at slot: Int) -> Bool {
        dirty.contains(slot) && !values[slot].isNull
    }

    /// Sets a row slot; nil lets the row's value show again.
    func set(_ value: Value?, at slot: Int, slotCount: Int) {
        guard let value else {
            if dirty.contains(slot) { values[slot] = .null }
            dirty.remove(slot)
            return
        }
        if values.isEmpty { values = Self.nulls(slotCount) }
        values[slot] = value
        dirty.insert(slot)
    }

    /// `ContiguousArray(repeating:count:)` asks each value how it is copied, which costs as much as the
    /// rest of a first change.
    private static func nulls(_ count: Int) -> ContiguousArray<Value> {
        ContiguousArray(unsafeUninitializedCapacity: count) { buffer, initialized in
            for slot in 0..<count { buffer.initializeElement(at: slot, to: .null) }
            initialized = count
        }
    }

    /// Sets a row slot that is changed already; false: it is not, and nothing was set.
    @inline(__always) func overwrite(_ value: Value, at slot: Int) -> Bool {
        guard dirty.contains(slot) else { return false }
        values[slot] = value
        return true
    }

    /// Changed row slots and their values, shared with the overlay until it is written again.
    struct ChangedValues {
        fileprivate(set) var dirty: SlotSet
        fileprivate var values: ContiguousArray<Value>

        /// The value of a changed row slot; nil where the row's counts.
        subscript(slot: Int) -> Value? { dirty.contains(slot) ? .some(values[slot]) : Value?.none }
    }

    /// The row slots that are changed now; nil: none.
    var changedValues: ChangedValues? {
        dirty.isEmpty ? nil : ChangedValues(dirty: dirty, values: values)
    }

    /// Sets all row slots: those of a new object. Copies them, because most are about to be set.
    func setAll(_ values: ContiguousArray<Value>) {
        self.values = ContiguousArray(unsafeUninitializedCapacity: values.count) { buffer, count in
            for slot in values.indices { buffer.initializeElement(at: slot, to: values[slot]) }
            count = values.count
        }
        dirty = SlotSet(0..<values.count)
    }

    /// Calls the body with the values of all row slots, where all are changed: those of a new
    /// object. nil: not all are.
    @inline(__always) func withAllValues<Result, Failure: Error>(
        _ body: (UnsafePointer<Value>) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard dirty.containsAll(below: values.count) else { return nil }
        return try values.withUnsafeBufferPointer { values throws(Failure) in
            guard let first = values.baseAddress, !values.isEmpty else { return nil }
            return try body(first)
        }
    }

    /// Lets all of the row's values show again.
    func clearValues() {
        dirty = SlotSet()
        values = []
    }

    /// Sets a transient value.
    func set(_ value: Value, atExtra slot: Int) {
        extras[slot] = .value(value)
    }

    /// The members of a to-many.
    func members(at slot: Int) -> Members {
        if case .members(let members) = extras[slot] { members } else { .none }
    }

    /// Changes the members of a to-many in place.
    func updateMembers(at slot: Int, _ body: (inout Members) -> Void) {
        // Out of the array while it changes, or every change would copy the whole of it. Moved, for
        // a copy counts eight references.
        var taken = ExtraValue.value(.null)
        swap(&taken, &extras[slot])
        switch consume taken {
        case .value(let value): extras[slot] = .value(value)
        case .members(var members):
            hasUsedMembers = true
            body(&members)
            extras[slot] = .members(members)
        }
    }

    /// Changes the members of every to-many.
    func updateAllMembers(_ body: (inout Members) -> Void) {
        for slot in extras.indices { updateMembers(at: slot, body) }
    }

    /// Replaces IDs by those that the same objects have now.
    func replaceIDs(_ replacements: IDReplacements, of kind: ObjectKind) {
        for slot in kind.toOneSlots where slot < values.count {
            if case .objectID(let id) = values[slot], id.isTemporary,
                let new = replacements[id]
            {
                values[slot] = .objectID(new)
            }
        }
        for slot in kind.toOneExtras {
            if case .value(.objectID(let id)) = extras[slot], id.isTemporary,
                let new = replacements[id]
            {
                extras[slot] = .value(.objectID(new))
            }
        }
        if hasUsedMembers { updateAllMembers { $0.replaceIDs(replacements) } }
    }

    /// Passes every ID that a change may have brought in.
    func forEachID(_ body: (ObjectID) -> Void) {
        for slot in dirty {
            if case .objectID(let id) = values[slot] { body(id) }
        }
        for extra in extras {
            switch extra {
            case .value(.objectID(let id)): body(id)
            case .members(let members): members.current.forEach(body)
            case .value: break
            }
        }
    }

    /// Whether a to-many was changed.
    var hasChangedMembers: Bool {
        hasUsedMembers
            && extras.contains {
                if case .members(let members) = $0 { members.hasChanges } else { false }
            }
    }
}
