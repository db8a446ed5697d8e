import CairnModel

/// A type that a ``Managed`` property can have.
///
/// | In the model | In the class |
/// |---|---|
/// | an attribute | a type that conforms to ``AttributeValue`` and fits the attribute, optional or not |
/// | a to-one | an optional of the destination's class or of one of its superclasses |
/// | a to-many | ``Members`` of such a class |
/// | an ordered to-many | ``OrderedMembers`` of such a class |
///
/// A property needs an optional type if its attribute may be `nil`. Numbers and Booleans are exceptions, as
/// in Core Data: `nil` is read as 0 or `false`.
///
/// Only types of this framework conform directly. To add your own type, conform to ``AttributeValue``.
public protocol ManagedProperty: SendableMetatype {
    /// The kind of property that the model must contain.
    static var shape: PropertyShape { get }

    /// Returns the value if a few loads from memory are enough to find it. Otherwise, returns `nil`, and the
    /// caller uses ``generalValue(of:at:)``.
    static func quickValue(of object: ManagedObject, at slot: ClassSlot) -> Self?

    /// Returns the value by the general path, which may fire a fault. If it cannot be read, reports the
    /// failure.
    static func generalValue(of object: ManagedObject, at slot: ClassSlot) -> Self

    /// Returns an arbitrary value that is not `nil`, for an object that only records which properties are
    /// read.
    ///
    /// - Parameter destination: The destination of a to-one relationship.
    static func probeValue(_ destination: ManagedObject?) -> Self

    /// Sets the value. If it cannot be set, reports the failure.
    static func setValue(_ value: Self, of object: ManagedObject, at slot: ClassSlot)
}
