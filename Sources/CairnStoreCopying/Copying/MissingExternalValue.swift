/// A value whose bytes a store keeps in a file that is missing.
public struct MissingExternalValue: Sendable, Hashable {
    /// The name of the object's entity.
    public var entity: String
    /// The object's key.
    public var key: Int64
    /// The name of the attribute that has the value.
    public var attribute: String
    /// The path at which the file should be.
    public var path: String

    /// Creates a description of a missing value.
    package init(entity: String, key: Int64, attribute: String, path: String) {
        self.entity = entity
        self.key = key
        self.attribute = attribute
        self.path = path
    }
}
