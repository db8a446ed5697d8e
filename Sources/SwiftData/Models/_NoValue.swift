/// The type of a stored variable of `@Model` classes that marks a property. Only the variable's offset in the model is
/// used. The compiler reports an initializer that does not set a property, because it does not set the property's
/// variable of this type.
@frozen public struct _NoValue {
    @usableFromInline let mark: UInt8 = 0

    /// Creates the only value.
    @inlinable public init() {}
}
