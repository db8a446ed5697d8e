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
