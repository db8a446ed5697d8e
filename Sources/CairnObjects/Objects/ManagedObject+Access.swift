import CairnModel
import CairnRows
import CairnStack

/// The parts of every access to a value.
///
/// The inlined part of a ``Managed`` property consists of a few loads, and one call for everything else. Because
/// the optimiser sees that loads release nothing, a loop over objects counts references only when that call is
/// made.
extension ManagedObject {
    /// Returns the destination of a to-one relationship, or of a prefetched reference, if the fast look-up finds it, as
    /// it usually does.
    /// Otherwise, returns `nil`, and the caller takes the slow path.
    ///
    /// The `readonly` effect is accurate; docs/decisions/objects.md explains its purpose. The returned
    /// object is in the identity map, so it exists.
    @inline(never) @_effects(readonly)
    @usableFromInline final func registeredDestination(at mark: _Property.Mark)
        -> Uncounted<ManagedObject>?
    {
        guard let values = ownValues, let layoutSlot = layoutSlot(of: mark),
            !store.isTemporary, !values.isNull(layoutSlot), let context = uncountedContext
        else { return nil }
        guard layoutSlot.kind == .toOne else {
            guard kind.prefetchedReferences.contains(layoutSlot.rowSlot),
                let lookup = kind.prefetchedReferences[layoutSlot.rowSlot]
            else { return nil }
            return lookup.withObject {
                $0.prefetched(
                    by: key, values, layoutSlot, in: context.withObject { $0.identityMap })
            }
        }
        // A stored object refers to an object in its own store, or to an object that a parent has not
        // saved.
        let id = values.objectID(layoutSlot, in: store)
        guard id.key > 0 else { return nil }
        return context.withObject { $0.identityMap.recentEntry(id) }
    }

    /// Returns the slot in the packed row for a marked property. Returns `nil` if rows do not hold the property,
    /// or if reads are observed.
    @inlinable @inline(__always) final func layoutSlot(of mark: _Property.Mark) -> RowLayout.Slot? {
        kind.silentSlots[mark]
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
        do {
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

    /// Returns the values that the store keeps outside the object's row.
    ///
    /// - Throws: The errors of ``storedValue(at:in:)``.
    final func externalValues() throws(GraphError) -> [RowSlot: Value] {
        var values: [RowSlot: Value] = [:]
        guard let row else { return values }
        for slot in kind.layout.slots where slot.kind == .externalBinary {
            values[slot.rowSlot] = try storedValue(at: slot.rowSlot, in: row)
        }
        return values
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
