import CairnModel

/// A type whose optional can be the type of a ``Managed`` property.
public protocol OptionalProperty: SendableMetatype {
    /// The kind of property that the model must contain for an optional property of this type.
    static var optionalShape: PropertyShape { get }

    /// Returns the value if it is not `nil` and a few loads from memory are enough to find it. Otherwise,
    /// returns `nil`.
    static func quickPresent(of object: ManagedObject, at slot: ClassSlot) -> Self?

    /// Returns whether a few loads from memory are enough to find that the value is `nil`.
    static func isQuicklyNil(of object: ManagedObject, at slot: ClassSlot) -> Bool

    /// Returns the value, as ``ManagedProperty/generalValue(of:at:)`` does.
    static func generalOptional(of object: ManagedObject, at slot: ClassSlot) -> Self?

    /// Returns an arbitrary value, as ``ManagedProperty/probeValue(_:)`` does.
    static func optionalProbeValue(_ destination: ManagedObject?) -> Self?

    /// Sets the value, as ``ManagedProperty/setValue(_:of:at:)`` does.
    static func setOptional(_ value: Self?, of object: ManagedObject, at slot: ClassSlot)
}

extension Optional: ManagedProperty where Wrapped: OptionalProperty {
    /// The shape that the wrapped type gives for optional properties.
    public static var shape: PropertyShape { Wrapped.optionalShape }

    /// Returns the value, which may be `nil`, if a few loads from memory are enough to find it.
    @inlinable @inline(__always)
    public static func quickValue(of object: ManagedObject, at slot: ClassSlot) -> Wrapped?? {
        if let value = Wrapped.quickPresent(of: object, at: slot) { return value }
        return Wrapped.isQuicklyNil(of: object, at: slot) ? .some(nil) : nil
    }

    /// Returns the value by the general path. If it cannot be read, reports the failure.
    public static func generalValue(of object: ManagedObject, at slot: ClassSlot) -> Wrapped? {
        Wrapped.generalOptional(of: object, at: slot)
    }

    /// Returns an arbitrary value that is not `nil`.
    public static func probeValue(_ destination: ManagedObject?) -> Wrapped? {
        Wrapped.optionalProbeValue(destination)
    }

    /// Sets the value. If it cannot be set, reports the failure.
    public static func setValue(_ value: Wrapped?, of object: ManagedObject, at slot: ClassSlot) {
        Wrapped.setOptional(value, of: object, at: slot)
    }
}
