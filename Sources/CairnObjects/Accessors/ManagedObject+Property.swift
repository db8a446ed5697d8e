import CairnModel
import CairnRows

/// A managed object as the value of a to-one relationship.
extension ManagedObject: OptionalProperty {
    /// A to-one relationship to this class.
    public static var optionalShape: PropertyShape { .toOne(Self.self) }

    /// Returns the destination if it is registered in the context and its class is exactly this class.
    @inlinable @inline(__always)
    public static func quickPresent(of object: ManagedObject, at slot: ClassSlot) -> Self? {
        guard let found = object.registeredDestination(at: slot) else { return nil }
        let destination = found.object
        // A cast calls the runtime, which costs more than finding the object.
        guard type(of: destination) == Self.self else { return nil }
        return unsafeDowncast(destination, to: Self.self)
    }

    /// Returns `false`. Only the general path finds out whether there is a destination.
    @inlinable @inline(__always)
    public static func isQuicklyNil(of object: ManagedObject, at slot: ClassSlot) -> Bool { false }

    /// Returns the destination. It is a fault unless it was fetched before. If it is not an instance of this
    /// class, because the class does not fit its entity, reports this and returns `nil`.
    public static func generalOptional(of object: ManagedObject, at slot: ClassSlot) -> Self? {
        guard let destination = object.markedDestination(at: slot) else { return nil }
        if let destination = destination as? Self { return destination }
        object.reportMisfit(of: destination, with: Self.self)
        return nil
    }

    /// Returns `destination`, the object that the to-one leads to.
    public static func optionalProbeValue(_ destination: ManagedObject?) -> Self? {
        destination as? Self
    }

    /// Sets the destination, and updates the inverse. If it cannot be set, reports the failure.
    public static func setOptional(
        _ value: ManagedObject?, of object: ManagedObject, at slot: ClassSlot
    ) {
        object.setMarkedDestination(value, at: slot)
    }
}
