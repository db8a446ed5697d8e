/// The type of a stored variable of `@Model` classes that takes no memory. The compiler reports an initializer that does
/// not set a property, because it does not set the property's variable of this type.
public struct _NoValue {
    /// Creates the only value.
    public init() {}
}
