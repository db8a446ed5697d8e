/// How far a copy of a store has come.
public struct StoreCopyProgress: Sendable, Hashable {
    /// Objects copied so far.
    public var objectCount = 0
    /// Objects that are in the source; never less than `objectCount`.
    public var totalObjectCount: Int
    /// Pairs and places in an order copied so far; they follow the objects. How many there will be is
    /// not known before.
    public var pairCount = 0
    /// The values that are nil in the copy because the files with their bytes are missing. Empty
    /// unless ``StoreCopier/allowsMissingExternalData`` is set.
    public var missingValues: [MissingExternalValue] = []

    /// Nothing of so many objects yet.
    public init(totalObjectCount: Int) { self.totalObjectCount = totalObjectCount }
}

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

/// Whether a copy goes on: what who is told of its progress answers.
public enum StoreCopyDecision: Sendable, Hashable {
    /// The copy goes on.
    case goOn
    /// The copy ends with `.copyCancelled`, and leaves nothing.
    case cancel
}
