import Cairn

/// A list of key paths of a class's properties for `#Unique` and `#Index`, such as `[\.name, \.born]`.
///
/// This is a separate type and not an array, so that the compiler's error names the property if it does not
/// exist.
public struct PropertyPaths<Object: ManagedObject>: ExpressibleByArrayLiteral {
    /// Ignores the key paths. The macros read them from the source.
    public init(arrayLiteral paths: PartialKeyPath<Object>...) {}
}
