import CairnModel
import CairnStore

/// A to-one, as an optional property.
extension ManagedObject: OptionalProperty {
    public static var optionalShape: PropertyShape { .toOne(Self.self) }

    @inlinable @inline(__always)
    public static func quickPresent(of object: ManagedObject, at slot: ClassSlot) -> Self? {
        guard let found = object.registeredDestination(at: slot) else { return nil }
        let destination = found.object
        // A cast asks the runtime, which costs more than finding the object does.
        guard type(of: destination) == Self.self else { return nil }
        return unsafeDowncast(destination, to: Self.self)
    }

    @inlinable @inline(__always)
    public static func isQuicklyNil(of object: ManagedObject, at slot: ClassSlot) -> Bool { false }

    public static func generalOptional(of object: ManagedObject, at slot: ClassSlot) -> Self? {
        object.markedDestination(at: slot) as? Self
    }

    public static func optionalProbeValue(_ destination: ManagedObject?) -> Self? {
        destination as? Self
    }

    public static func setOptional(_ value: ManagedObject?, of object: ManagedObject, at slot: ClassSlot) {
        object.setMarkedDestination(value, at: slot)
    }
}
