import CairnModel
import CairnStore

/// A type that a ``Managed`` property can have.
///
/// | In the model | In the class |
/// |---|---|
/// | an attribute | an ``AttributeValue`` of its type, optional or not |
/// | a to-one | an optional class, that of the destination or a superclass of it |
/// | a to-many | ``Members`` of such a class |
/// | an ordered to-many | ``OrderedMembers`` of such a class |
///
/// An attribute that may be nil needs an optional type. Numbers and Booleans need none, as in Core Data: nil
/// is read as 0 or `false`.
///
/// Only the types of this framework conform, and yours by way of ``AttributeValue``.
public protocol ManagedProperty: SendableMetatype {
    /// What the model must say of the property.
    static var shape: PropertyShape { get }

    /// Returns the value if a few loads find it. Otherwise, returns `nil`, and the caller uses the general
    /// way.
    static func quickValue(of object: ManagedObject, at slot: ClassSlot) -> Self?

    /// Returns the value, in the general way. If it cannot be read, reports the failure.
    static func generalValue(of object: ManagedObject, at slot: ClassSlot) -> Self

    /// Returns some value that is not nil, for an object that only notes which properties are read.
    ///
    /// - Parameter destination: what a to-one leads to.
    static func probeValue(_ destination: ManagedObject?) -> Self

    /// Sets the value. If it cannot be set, reports the failure.
    static func setValue(_ value: Self, of object: ManagedObject, at slot: ClassSlot)
}
