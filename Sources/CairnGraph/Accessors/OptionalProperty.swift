import CairnModel
import CairnStore

/// A type whose optional can be the type of a ``Managed`` property.
public protocol OptionalProperty: SendableMetatype {
    /// The declaration that the model must have for an optional property.
    static var optionalShape: PropertyShape { get }

    /// Returns the value if it is not `nil` and can be read with a few memory accesses.
    static func quickPresent(of object: ManagedObject, at slot: ClassSlot) -> Self?

    /// Returns whether a few memory accesses can determine that the value is `nil`, and it is.
    static func isQuicklyNil(of object: ManagedObject, at slot: ClassSlot) -> Bool

    /// Like ``ManagedProperty/generalValue(of:at:)``, for an optional property.
    static func generalOptional(of object: ManagedObject, at slot: ClassSlot) -> Self?

    /// Like ``ManagedProperty/probeValue(_:)``, for an optional property.
    static func optionalProbeValue(_ destination: ManagedObject?) -> Self?

    /// Like ``ManagedProperty/setValue(_:of:at:)``, for an optional property.
    static func setOptional(_ value: Self?, of object: ManagedObject, at slot: ClassSlot)
}

extension Optional: ManagedProperty where Wrapped: OptionalProperty {
    /// The declaration that the wrapped type requires for an optional property.
    public static var shape: PropertyShape { Wrapped.optionalShape }

    /// Returns the value, which may be `nil`, if it can be read with a few memory accesses.
    @inlinable @inline(__always)
    public static func quickValue(of object: ManagedObject, at slot: ClassSlot) -> Wrapped?? {
        if let value = Wrapped.quickPresent(of: object, at: slot) { return value }
        return Wrapped.isQuicklyNil(of: object, at: slot) ? .some(nil) : nil
    }

    /// Returns the value in all cases, which can be slower.
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
