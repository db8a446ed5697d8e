/// A value whose bytes a store keeps in a file that is not there.
public struct MissingExternalValue: Sendable, Hashable {
    /// The name of the object's entity.
    public var entity: String
    /// The object's key.
    public var key: Int64
    /// The name of the attribute.
    public var attribute: String
    /// Where the file should be.
    public var path: String

    /// Names a value of an object and the file that should hold it.
    public init(entity: String, key: Int64, attribute: String, path: String) {
        self.entity = entity
        self.key = key
        self.attribute = attribute
        self.path = path
    }
}
