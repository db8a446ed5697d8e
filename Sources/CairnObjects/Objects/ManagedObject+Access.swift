import CairnModel
import CairnRows
import CairnStack
import Foundation

/// Typed reads by row slot, for generated accessors. Slots are numbered by the object's class in
/// ``slotNames``. Use ``slot(named:)`` to find the slot of a property.
///
/// The inlined part consists of a few loads, and one call for everything else. Because the optimiser sees
/// that loads release nothing, a loop over objects counts references only when that call is made.
///
/// - Precondition: For all of these methods, the calling thread is in a turn of the object's context, and
///   the slot belongs to the entity and has the accessor's type.
extension ManagedObject {
    /// Returns the row slot of a persistent attribute or to-one relationship. Returns `nil` if the
    /// entity has no such property.
    public final func slot(named name: String) -> ClassSlot? {
        kind.layout.slot(named: name).flatMap(kind.slots.slot(of:))
    }

    /// Returns whether the attribute or to-one relationship is `nil`. If the object is a fault, it is fired.
    @inlinable @inline(__always) public final func isNil(at slot: ClassSlot) -> Bool {
        if let values = ownValues, let layoutSlot = layoutSlot(of: slot) {
            return values.isNull(layoutSlot)
        }
        return generalIsNil(at: slot)
    }

    /// Returns the value of an integer attribute of any width, or 0 if it is `nil`.
    @inlinable @inline(__always) public final func int64(at slot: ClassSlot) -> Int64 {
        if let values = ownValues, let layoutSlot = layoutSlot(of: slot), layoutSlot.code < 64 {
            return values.integer(layoutSlot)
        }
        return generalInteger(at: slot)
    }

    /// Returns the value of a double attribute, or 0 if it is `nil`.
    @inlinable @inline(__always) public final func double(at slot: ClassSlot) -> Double {
        if let values = ownValues, let layoutSlot = layoutSlot(of: slot),
            layoutSlot.code == RowLayout.Kind.double.code
        {
            return values.double(layoutSlot)
        }
        return generalDouble(at: slot)
    }

    /// Returns the value of a float attribute, or 0 if it is `nil`.
    @inlinable @inline(__always) public final func float(at slot: ClassSlot) -> Float {
        if let values = ownValues, let layoutSlot = layoutSlot(of: slot),
            layoutSlot.code == RowLayout.Kind.float.code
        {
            return Float(bitPattern: values.number(layoutSlot))
        }
        return generalFloat(at: slot)
    }

    /// Returns the value of a Boolean attribute, or `false` if it is `nil`.
    @inlinable @inline(__always) public final func bool(at slot: ClassSlot) -> Bool {
        if let values = ownValues, let layoutSlot = layoutSlot(of: slot),
            layoutSlot.code == RowLayout.Kind.boolean.code
        {
            return values.number(layoutSlot, as: UInt8.self) != 0
        }
        return generalBool(at: slot)
    }

    /// Returns the value of a string attribute. The string is created from the row's bytes on each call
    /// and is not cached.
    @inlinable public final func string(at slot: ClassSlot) -> String? {
        if let values = ownValues, let layoutSlot = layoutSlot(of: slot),
            layoutSlot.code == RowLayout.Kind.string.code
        {
            return values.isNull(layoutSlot) ? nil : values.string(layoutSlot)
        }
        return generalString(at: slot)
    }

    /// Returns the value of a date attribute.
    @inlinable public final func date(at slot: ClassSlot) -> Date? {
        if let values = ownValues, let layoutSlot = layoutSlot(of: slot),
            layoutSlot.code == RowLayout.Kind.date.code
        {
            if values.isNull(layoutSlot) { return nil }
            return Date(timeIntervalSinceReferenceDate: values.double(layoutSlot))
        }
        return generalDate(at: slot)
    }

    /// Returns the value of a UUID attribute.
    public final func uuid(at slot: ClassSlot) -> UUID? {
        if case .uuid(let value) = generalValue(at: slot, of: "a UUID") { value } else { nil }
    }

    /// Returns the value of a decimal attribute.
    public final func decimal(at slot: ClassSlot) -> Decimal? {
        if case .decimal(let value) = generalValue(at: slot, of: "a decimal") { value } else { nil }
    }

    /// Returns the value of a URI attribute.
    public final func uri(at slot: ClassSlot) -> URL? {
        if case .uri(let value) = generalValue(at: slot, of: "a URI") { value } else { nil }
    }

    /// Returns the bytes of a binary or transformable attribute.
    public final func data(at slot: ClassSlot) -> Data? {
        switch generalValue(at: slot, of: "bytes") {
        case .binary(let value), .transformable(let value): value
        default: nil
        }
    }

    /// Returns the ID of a to-one relationship's destination. Does not fetch the destination.
    public final func objectID(at slot: ClassSlot) -> ObjectID? {
        if case .objectID(let id) = generalValue(at: slot, of: "a to-one") { id } else { nil }
    }

    /// Returns the destination of a to-one relationship, which is a fault unless it was fetched before.
    @inlinable public final func object(at slot: ClassSlot) -> ManagedObject? {
        if let found = registeredDestination(at: slot) {
            return found.object
        }
        return generalObject(at: slot)
    }

    /// Returns the destination of a to-one relationship as an instance of a class. The destination is a
    /// fault unless it was fetched before. Returns `nil` if it is not an instance of the class.
    @inlinable public final func object<T: ManagedObject>(
        at slot: ClassSlot, as objectClass: T.Type
    ) -> T? {
        if let found = registeredDestination(at: slot) {
            let object = found.object
            // A cast calls the runtime, which costs more than finding the object does.
            if type(of: object) == objectClass { return unsafeDowncast(object, to: T.self) }
        }
        return generalObject(at: slot) as? T
    }
}

extension ManagedObject {
    /// The slow path of `object(at:)`, which handles every case.
    @inline(never) @usableFromInline final func generalObject(at slot: ClassSlot) -> ManagedObject?
    {
        if let values = ownValues, let layoutSlot = layoutSlot(of: slot), layoutSlot.kind == .toOne,
            !store.isTemporary
        {
            if values.isNull(layoutSlot) { return nil }
            // A stored object refers to an object in its own store, or to an object that a parent has not
            // saved.
            let id = values.objectID(layoutSlot, in: store)
            if id.key > 0 { return destination(id) }
        }
        if let successor {
            return inheritedSlot(slot, of: successor).flatMap(successor.object(at:))
        }
        return objectID(at: slot).flatMap(destination)
    }

    /// Returns the destination of a to-one relationship if the fast look-up finds it, as it usually does.
    /// Otherwise, returns `nil`, and the caller takes the slow path.
    ///
    /// The `readonly` effect is accurate; decision 0059 explains its purpose. The returned object is in
    /// the identity map, so it exists.
    @inline(never) @_effects(readonly)
    @usableFromInline final func registeredDestination(at slot: ClassSlot)
        -> Uncounted<ManagedObject>?
    {
        guard let values = ownValues, let layoutSlot = layoutSlot(of: slot),
            layoutSlot.kind == .toOne, !store.isTemporary, !values.isNull(layoutSlot),
            let context = uncountedContext
        else { return nil }
        // A stored object refers to an object in its own store, or to an object that a parent has not
        // saved.
        let id = values.objectID(layoutSlot, in: store)
        guard id.key > 0 else { return nil }
        return context.withObject { $0.identityMap.recentEntry(id) }
    }

    /// Returns the slot in the packed row for a slot of the class. Returns `nil` if the entity does not
    /// have the slot, or if reads are observed.
    @inlinable @inline(__always) final func layoutSlot(of slot: ClassSlot) -> RowLayout.Slot? {
        kind.silentSlots.contains(slot) ? kind.silentSlots.layoutSlot(of: slot) : nil
    }

    /// The row's values if the calling thread is known to be in a turn of the object's context. Otherwise
    /// `nil`, and the slow path checks the turn, so that the inlined part contains only one call.
    @inlinable @inline(__always) final var ownValues: RowPointer? {
        kind.turnOwner.isRunningThread ? values : nil
    }

    /// Stops the program if the calling thread is not in a turn of the object's context, because two
    /// threads could then access values at the same time.
    @inlinable @inline(__always) final func checkTurn() {
        if !kind.turnOwner.isRunningThread { checkTurnSlowly() }
    }

    /// The slow path of `checkTurn()`. Objects without a context are not checked.
    @inline(never) @usableFromInline final func checkTurnSlowly() {
        guard let owner else { return }
        precondition(
            owner.queue.isCurrent,
            "the object \(objectID) of \(kind.entity.name) was used outside a turn of the context"
                + " “\(owner.queue.ownerLock.name)”; use the context's perform or performAndWait")
    }

    /// Checks the turn before a change, and waits for a background save of the context to finish.
    @inline(__always) final func checkTurnToChange() {
        if !kind.turnOwner.isRunningThread { checkTurnToChangeSlowly() }
    }

    @inline(never) private final func checkTurnToChangeSlowly() {
        checkTurnSlowly()
        owner?.settle()
    }

    /// Returns the context's object with an ID. If the object has no context, reports the failure and
    /// returns `nil`.
    @inline(__always) private final func destination(_ id: ObjectID) -> ManagedObject? {
        guard let uncountedContext else {
            report(.objectGone(objectID, absence))
            return nil
        }
        return uncountedContext.withObject {
            $0.identityMap[id] ?? $0.registeredOrFault(id)
        }
    }

    // There is one function per type to keep the inlined code small. These functions are never inlined:
    // otherwise, a class's accessor, which inlines the fast path, would be too large to be inlined into
    // the loop that calls it.

    @inline(never) @usableFromInline final func generalIsNil(at slot: ClassSlot) -> Bool {
        generalValue(at: slot).isNull
    }

    @inline(never) @usableFromInline final func generalInteger(at slot: ClassSlot) -> Int64 {
        if case .integer(let value) = generalValue(at: slot, of: "an integer") { value } else { 0 }
    }

    @inline(never) @usableFromInline final func generalDouble(at slot: ClassSlot) -> Double {
        if case .double(let value) = generalValue(at: slot, of: "a double") { value } else { 0 }
    }

    @inline(never) @usableFromInline final func generalFloat(at slot: ClassSlot) -> Float {
        if case .float(let value) = generalValue(at: slot, of: "a float") { value } else { 0 }
    }

    @inline(never) @usableFromInline final func generalBool(at slot: ClassSlot) -> Bool {
        if case .boolean(let value) = generalValue(at: slot, of: "a Boolean") {
            value
        } else {
            false
        }
    }

    @inline(never) @usableFromInline final func generalString(at slot: ClassSlot) -> String? {
        if case .string(let value) = generalValue(at: slot, of: "a string") { value } else { nil }
    }

    @inline(never) @usableFromInline final func generalDate(at slot: ClassSlot) -> Date? {
        if case .date(let value) = generalValue(at: slot, of: "a date") { value } else { nil }
    }

    /// Returns the value of any row slot, in the slow path. If the value cannot be read, reports the
    /// failure and returns `.null`.
    ///
    /// - Precondition: The entity has the slot, and the slot's type is the expected one.
    @inline(never) @usableFromInline final func generalValue(
        at slot: ClassSlot, of expected: String = ""
    )
        -> Value
    {
        checkTurn()
        if let successor, let slot = inheritedSlot(slot, of: successor) {
            return successor.generalValue(at: slot, of: expected)
        }
        let layoutSlot = knownLayoutSlot(of: slot)
        precondition(
            expected.isEmpty || layoutSlot.kind.isRead(as: expected),
            "\(kind.entity.name).\(kind.layout.property(at: layoutSlot).name) is not \(expected)")
        noteRead(of: .row(layoutSlot.rowSlot))
        do throws(GraphError) {
            return try value(at: layoutSlot.rowSlot)
        } catch {
            report(error)
            return .null
        }
    }

    /// Returns the slot that another object's class uses for the property at a slot of this object's
    /// class.
    private final func inheritedSlot(_ slot: ClassSlot, of other: ManagedObject) -> ClassSlot? {
        if kind === other.kind { return slot }
        return other.slot(named: kind.layout.property(at: knownLayoutSlot(of: slot)).name)
    }

    /// Returns the slot in the packed row for a slot of the class.
    ///
    /// - Precondition: The class has the slot.
    @inline(__always) final func knownLayoutSlot(of slot: ClassSlot) -> RowLayout.Slot {
        precondition(
            kind.slots.contains(slot),
            "the class of \(kind.entity.name) has no property at slot \(slot)")
        return kind.slots.layoutSlot(of: slot)
    }

    /// Returns the value of a row slot.
    ///
    /// - Throws: `.objectGone`, `.store`.
    final func value(at slot: RowSlot) throws(GraphError) -> Value {
        if let value = overlay?.value(at: slot) { return value }
        guard let row = try realizedRow() else { return .null }
        return try storedValue(at: slot, in: row)
    }

    /// Returns a value of a row. Reads data that is stored outside the row.
    ///
    /// - Throws: `.objectGone` for such data of an object that no longer belongs to a context;
    ///   `.store`.
    final func storedValue(at slot: RowSlot, in row: Row) throws(GraphError) -> Value {
        let layoutSlot = kind.layout[slot]
        if layoutSlot.kind == .toOne { return raw(layoutSlot, in: row) }
        guard layoutSlot.kind == .externalBinary, !row.isNull(layoutSlot),
            case .reference(let reference) = row.externalBinary(layoutSlot)
        else { return row.value(layoutSlot) }
        guard let owner else { throw .objectGone(objectID, absence) }
        do throws(GraphError) {
            return .binary(try owner.source.externalData(reference))
        } catch {
            // If the store was replaced, the new one has another name for the data.
            guard let batch = try? owner.source.freshRows(for: [objectID]),
                let index = batch.rowIndices.first
            else { throw error }
            let fresh = batch[row: index]
            guard fresh.version == row.version, !fresh.isNull(layoutSlot) else { throw error }
            guard case .reference(let current) = fresh.externalBinary(layoutSlot) else {
                return fresh.value(layoutSlot)
            }
            if current == reference { throw error }
            return .binary(try owner.source.externalData(current))
        }
    }

    /// Returns the object's row, after fetching it if the object is a fault. Returns `nil` for a new
    /// object. Also returns `nil` if the row no longer exists and the context's policy allows that.
    ///
    /// - Throws: `.objectGone`, also for a fault that no longer belongs to a context; `.store`.
    final func realizedRow() throws(GraphError) -> Row? {
        guard row == nil, !state.contains(.inserted) else { return row }
        guard let owner else { throw .objectGone(objectID, absence) }
        if !state.contains(.gone) { try owner.faults.fire(self) }
        return row
    }
}

extension RowLayout.Kind {
    /// Returns whether slots of this kind can be read by an accessor of the expected type.
    fileprivate func isRead(as expected: String) -> Bool {
        switch self {
        case .int16, .int32, .int64: expected == "an integer"
        case .double: expected == "a double"
        case .float: expected == "a float"
        case .boolean: expected == "a Boolean"
        case .string: expected == "a string"
        case .date: expected == "a date"
        case .uuid: expected == "a UUID"
        case .decimal: expected == "a decimal"
        case .uri: expected == "a URI"
        case .binary, .externalBinary, .transformable: expected == "bytes"
        case .toOne: expected == "a to-one"
        case .composite: expected == "a composite"
        }
    }
}
