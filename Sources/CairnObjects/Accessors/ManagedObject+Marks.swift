import CairnModel
import CairnStack

/// Access to the ``Managed`` properties of a class, by the offsets of their marks.
extension ManagedObject {
    /// Returns the value of a marked property by the general path, which works for every object.
    ///
    /// - Parameter path: The key path of the property. It is created only for an object that records reads.
    @inline(never) @usableFromInline
    final func generalMarkedValue<Value: ManagedProperty>(
        at slot: ClassSlot, _ path: () -> AnyKeyPath
    ) -> Value {
        if let notes = kind.notes { return notes.value(of: markedProperty(at: slot), path()) }
        return Value.generalValue(of: self, at: slot)
    }

    /// Returns the value of a marked attribute. If it cannot be read, reports the failure and returns
    /// `.null`.
    final func markedValue(at slot: ClassSlot) -> Value {
        checkTurn()
        guard case .attribute(let binding) = markedProperty(at: slot) else { return .null }
        let object = successor ?? self
        return object.reporting(.null) { () throws(GraphError) in try object.value(of: binding) }
    }

    /// Sets a marked attribute. If it cannot be set, reports the failure.
    @usableFromInline final func setMarkedValue(_ value: Value, at slot: ClassSlot) {
        checkTurnToChange()
        guard case .attribute(let binding) = markedProperty(at: slot) else { return }
        var value = value
        if binding.isTransformable, case .binary(let bytes) = value {
            value = .transformable(bytes)
        } else if binding.hasTransformableElements {
            value = value.withArchives(of: binding.attribute)
        }
        guard value.fits(binding.type) else { return report(mismatchError(value, for: binding)) }
        if case .row(let rowSlot) = binding.storage,
            let known = insertedValuePointer(of: rowSlot)
        {
            known.pointee = value
        } else {
            reporting(()) { () throws(GraphError) in try set(value, of: binding) }
        }
    }

    /// Returns the destination of a marked to-one relationship. If it cannot be found, reports the failure
    /// and returns `nil`.
    final func markedDestination(at slot: ClassSlot) -> ManagedObject? {
        checkTurn()
        guard case .relationship(let binding) = markedProperty(at: slot) else { return nil }
        let object = successor ?? self
        return object.reporting(nil) { () throws(GraphError) in
            guard let id = try object.readDestinationID(binding) else { return nil }
            return try object.presentContext.registeredOrFault(id)
        }
    }

    /// Reports why the destination of a relationship is not an instance of a class.
    final func reportMisfit(
        of destination: ManagedObject, with destinationClass: ManagedObject.Type
    ) {
        guard let owner else { return report(.objectGone(objectID, absence)) }
        report(owner.kinds.refusal(of: destinationClass, for: destination.entity))
    }

    /// Sets the destination of a marked to-one relationship, and updates the inverse. If this fails, reports
    /// the failure.
    final func setMarkedDestination(_ destination: ManagedObject?, at slot: ClassSlot) {
        checkTurnToChange()
        guard case .relationship(let binding) = markedProperty(at: slot) else { return }
        reporting(()) { () throws(GraphError) in
            try relations.setDestination(destination, of: self, binding)
        }
    }

    /// Returns the relationship of a marked to-many, and the object that currently holds its members.
    final func markedMembers(
        at slot: ClassSlot
    ) -> (owner: ManagedObject, binding: RelationshipBinding)? {
        guard case .relationship(let binding) = markedProperty(at: slot) else { return nil }
        return (successor ?? self, binding)
    }

    /// Reports that a marked attribute has a value that its Swift type does not have.
    final func reportUnknown(_ value: Value, at slot: ClassSlot, for type: Any.Type) {
        guard case .attribute(let binding) = markedProperty(at: slot) else { return }
        report(
            wrongType(
                binding.name, expected: "a value that \(type) can represent",
                found: "\(value.typeDescription) for which \(type) has no value"))
    }

    /// Runs the body. If it throws, reports the error and returns the fallback.
    final func reporting<Result>(
        _ fallback: Result, _ body: () throws(GraphError) -> Result
    ) -> Result {
        do throws(GraphError) {
            return try body()
        } catch {
            report(error)
            return fallback
        }
    }

    private final func markedProperty(at slot: ClassSlot) -> PropertyBinding {
        guard let property = kind.markedProperty(at: slot) else {
            preconditionFailure("the class of \(kind.entity.name) has no property at slot \(slot)")
        }
        return property
    }
}
