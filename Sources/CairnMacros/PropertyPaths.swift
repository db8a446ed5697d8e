import Cairn

/// A list of key paths of a class's properties, for `#Unique` and `#Index`: `[\.name, \.born]`.
///
/// This is a separate type instead of an array, so that the compiler's error names a property that does not
/// exist.
public struct PropertyPaths<Object: ManagedObject>: ExpressibleByArrayLiteral {
    /// Creates a list. It stores nothing, because the macros read the key paths from the source.
    public init(arrayLiteral paths: PartialKeyPath<Object>...) {}
}
