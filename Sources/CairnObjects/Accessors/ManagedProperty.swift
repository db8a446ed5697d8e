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
    // The requirements are public because the accessors of a class are inlined into the program.

    /// The kind of property that the model must contain.
    static var _shape: _Property.Shape { get }

    /// Returns the value if a few loads from memory are enough to find it. Otherwise, returns `nil`, and the
    /// caller uses ``_generalValue(of:at:)``.
    static func _quickValue(of object: ManagedObject, at mark: _Property.Mark) -> Self?

    /// Returns the value by the general path, which may fire a fault. If it cannot be read, reports the
    /// failure.
    static func _generalValue(of object: ManagedObject, at mark: _Property.Mark) -> Self

    /// Returns an arbitrary value that is not `nil`, for an object that only records which properties are
    /// read.
    ///
    /// - Parameter destination: The destination of a to-one relationship.
    static func _probeValue(_ destination: ManagedObject?) -> Self

    /// Sets the value. If it cannot be set, reports the failure.
    static func _setValue(_ value: Self, of object: ManagedObject, at mark: _Property.Mark)
}

// Types that are often tried for relationships by mistake. The compiler's message says what to write instead.

@available(
    *, unavailable,
    message: "a to-one relationship must be optional: add a question mark to its type"
)
extension ManagedObject: ManagedProperty {
    /// Unavailable.
    public static var _shape: _Property.Shape { _optionalShape }
    /// Unavailable.
    public static func _quickValue(of object: ManagedObject, at mark: _Property.Mark) -> Self? {
        nil
    }
    /// Unavailable.
    public static func _generalValue(of object: ManagedObject, at mark: _Property.Mark) -> Self {
        preconditionFailure("the compiler refuses such properties")
    }
    /// Unavailable.
    public static func _probeValue(_ destination: ManagedObject?) -> Self {
        preconditionFailure("the compiler refuses such properties")
    }
    /// Unavailable.
    public static func _setValue(
        _ value: ManagedObject, of object: ManagedObject, at mark: _Property.Mark
    ) {}
}

@available(
    *, unavailable,
    message: "declare a to-many relationship as Members<Element>, and a set of values as an array"
)
extension Set: ManagedProperty {
    /// Unavailable.
    public static var _shape: _Property.Shape { .attribute([], isOptional: true) }
    /// Unavailable.
    public static func _quickValue(of object: ManagedObject, at mark: _Property.Mark) -> Self? {
        nil
    }
    /// Unavailable.
    public static func _generalValue(of object: ManagedObject, at mark: _Property.Mark) -> Self {
        []
    }
    /// Unavailable.
    public static func _probeValue(_ destination: ManagedObject?) -> Self { [] }
    /// Unavailable.
    public static func _setValue(_ value: Self, of object: ManagedObject, at mark: _Property.Mark) {
    }
}
