import CairnModel

// Types that are often tried for relationships by mistake. The compiler's message says what to write instead.

@available(
    *, unavailable,
    message: "a to-one relationship must be optional: add a question mark to its type"
)
extension ManagedObject: ManagedProperty {
    /// Unavailable.
    public static var shape: PropertyShape { optionalShape }
    /// Unavailable.
    public static func quickValue(of object: ManagedObject, at slot: ClassSlot) -> Self? { nil }
    /// Unavailable.
    public static func generalValue(of object: ManagedObject, at slot: ClassSlot) -> Self {
        preconditionFailure("the compiler refuses such properties")
    }
    /// Unavailable.
    public static func probeValue(_ destination: ManagedObject?) -> Self {
        preconditionFailure("the compiler refuses such properties")
    }
    /// Unavailable.
    public static func setValue(
        _ value: ManagedObject, of object: ManagedObject, at slot: ClassSlot
    ) {}
}

@available(
    *, unavailable,
    message: "declare a to-many relationship as Members<Element>, and a set of values as an array"
)
extension Set: ManagedProperty {
    /// Unavailable.
    public static var shape: PropertyShape { .attribute([], isOptional: true) }
    /// Unavailable.
    public static func quickValue(of object: ManagedObject, at slot: ClassSlot) -> Self? { nil }
    /// Unavailable.
    public static func generalValue(of object: ManagedObject, at slot: ClassSlot) -> Self { [] }
    /// Unavailable.
    public static func probeValue(_ destination: ManagedObject?) -> Self { [] }
    /// Unavailable.
    public static func setValue(_ value: Self, of object: ManagedObject, at slot: ClassSlot) {}
}
