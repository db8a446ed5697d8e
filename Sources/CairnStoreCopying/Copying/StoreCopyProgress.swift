/// The progress of a copy of a store.
public struct StoreCopyProgress: Sendable, Hashable {
    /// The number of objects copied so far.
    public var objectCount = 0
    /// The number of objects in the source. Never less than `objectCount`.
    public var totalObjectCount: Int
    /// The number of pairs of objects and of positions in ordered relationships copied so far. They are
    /// copied after the objects. Their total number is not known in advance.
    public var pairCount = 0
    /// The values that are `nil` in the copy because the files with their bytes are missing. Empty
    /// unless ``StoreCopier/allowsMissingExternalData`` is set.
    public var missingValues: [MissingExternalValue] = []

    /// Creates the progress of a copy that has not begun.
    package init(totalObjectCount: Int) { self.totalObjectCount = totalObjectCount }
}
