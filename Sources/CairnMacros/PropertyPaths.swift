import Cairn

/// Key paths of a class's properties, as `#Unique` and `#Index` take them: `[\.name, \.born]`.
///
/// A type of its own, and not an array, so that the compiler names a property that does not exist.
public struct PropertyPaths<Object: ManagedObject>: ExpressibleByArrayLiteral {
    /// Takes the key paths. Only the macros read them, in the source.
    public init(arrayLiteral paths: PartialKeyPath<Object>...) {}
}
