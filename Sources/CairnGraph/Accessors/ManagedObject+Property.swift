import CairnModel
import CairnStore

/// A to-one relationship as an optional property.
extension ManagedObject: OptionalProperty {
    /// A to-one relationship to this class.
    public static var optionalShape: PropertyShape { .toOne(Self.self) }

    /// Returns the destination if the context already has it and its class is exactly this class.
    @inlinable @inline(__always)
    public static func quickPresent(of object: ManagedObject, at slot: ClassSlot) -> Self? {
        guard let found = object.registeredDestination(at: slot) else { return nil }
        let destination = found.object
        // Compare the class first, because a cast calls the runtime, which costs more than finding the
        // object.
        guard type(of: destination) == Self.self else { return nil }
        return unsafeDowncast(destination, to: Self.self)
    }

    /// Returns `false`, so whether there is a destination is determined in the general way.
    @inlinable @inline(__always)
    public static func isQuicklyNil(of object: ManagedObject, at slot: ClassSlot) -> Bool { false }

    /// Returns the destination. It is a fault unless it was fetched before.
    public static func generalOptional(of object: ManagedObject, at slot: ClassSlot) -> Self? {
        object.markedDestination(at: slot) as? Self
    }

    /// Returns the given destination.
    public static func optionalProbeValue(_ destination: ManagedObject?) -> Self? {
        destination as? Self
    }

    /// Sets the destination, and updates the inverse. If this fails, reports the failure.
    public static func setOptional(
        _ value: ManagedObject?, of object: ManagedObject, at slot: ClassSlot
    ) {
        object.setMarkedDestination(value, at: slot)
    }
}
