import CairnModel
import CairnStore

/// A type that a ``Managed`` property has as an optional.
public protocol OptionalProperty: SendableMetatype {
    /// What the model must say of an optional property.
    static var optionalShape: PropertyShape { get }

    /// Returns the value if it is not nil and a few loads find it.
    static func quickPresent(of object: ManagedObject, at slot: ClassSlot) -> Self?

    /// Whether a few loads find that the value is nil.
    static func isQuicklyNil(of object: ManagedObject, at slot: ClassSlot) -> Bool

    /// As ``ManagedProperty/generalValue(of:at:)``.
    static func generalOptional(of object: ManagedObject, at slot: ClassSlot) -> Self?

    /// As ``ManagedProperty/probeValue(_:)``.
    static func optionalProbeValue(_ destination: ManagedObject?) -> Self?

    /// As ``ManagedProperty/setValue(_:of:at:)``.
    static func setOptional(_ value: Self?, of object: ManagedObject, at slot: ClassSlot)
}

extension Optional: ManagedProperty where Wrapped: OptionalProperty {
    /// What the wrapped type says of an optional property.
    public static var shape: PropertyShape { Wrapped.optionalShape }

    /// Returns the value if a few loads find it, or find that it is nil.
    @inlinable @inline(__always)
    public static func quickValue(of object: ManagedObject, at slot: ClassSlot) -> Wrapped?? {
        if let value = Wrapped.quickPresent(of: object, at: slot) { return value }
        return Wrapped.isQuicklyNil(of: object, at: slot) ? .some(nil) : nil
    }

    /// Returns the value, in the general way.
    public static func generalValue(of object: ManagedObject, at slot: ClassSlot) -> Wrapped? {
        Wrapped.generalOptional(of: object, at: slot)
    }

    /// Returns some value that is not nil.
    public static func probeValue(_ destination: ManagedObject?) -> Wrapped? {
        Wrapped.optionalProbeValue(destination)
    }

    /// Sets the value. If it cannot be set, reports the failure.
    public static func setValue(_ value: Wrapped?, of object: ManagedObject, at slot: ClassSlot) {
        Wrapped.setOptional(value, of: object, at: slot)
    }
}
