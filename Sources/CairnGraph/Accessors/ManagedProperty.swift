import CairnModel
import CairnStore

/// A type that a ``Managed`` property can have.
///
/// | In the model | In the class |
/// |---|---|
/// | an attribute | an ``AttributeValue`` of its type, optional or not |
/// | a to-one relationship | an optional of the destination's class or of one of its superclasses |
/// | a to-many relationship | ``Members`` of the destination's class or of one of its superclasses |
/// | an ordered to-many relationship | ``OrderedMembers`` of the destination's class or of one of its
/// superclasses |
///
/// An attribute that may be `nil` needs an optional type. As in Core Data, numbers and Booleans are an
/// exception: `nil` is read as 0 or `false`.
///
/// Do not conform to this protocol directly. To make a type of your own usable, conform to
/// ``AttributeValue``.
public protocol ManagedProperty: SendableMetatype {
    /// The declaration that the model must have for the property.
    static var shape: PropertyShape { get }

    /// Returns the value if it can be read from the object's row with a few memory accesses. Otherwise
    /// returns `nil`, and the caller calls ``generalValue(of:at:)``.
    static func quickValue(of object: ManagedObject, at slot: ClassSlot) -> Self?

    /// Returns the value in all cases, which can be slower. If it cannot be read, reports the failure.
    static func generalValue(of object: ManagedObject, at slot: ClassSlot) -> Self

    /// Returns an arbitrary value that is not `nil`, for a probe object, which only records which properties
    /// are read.
    ///
    /// - Parameter destination: the destination, if the property is a to-one relationship.
    static func probeValue(_ destination: ManagedObject?) -> Self

    /// Sets the value. If it cannot be set, reports the failure.
    static func setValue(_ value: Self, of object: ManagedObject, at slot: ClassSlot)
}
