import CairnModel
import CairnStore

/// A key path to sort by.
public struct FetchSortDescriptor: Sendable, Hashable {
    /// Over to-ones to an attribute.
    public var keyPath: String
    /// Whether the smallest comes first.
    public var isAscending: Bool
    /// How text is ordered.
    public var textOrder: BoundSort.TextOrder

    /// Sorts by the values at the end of a key path.
    public init(
        _ keyPath: String, ascending: Bool = true, textOrder: BoundSort.TextOrder = .scalars
    ) {
        self.keyPath = keyPath
        isAscending = ascending
        self.textOrder = textOrder
    }

    /// Sorts by the values at the end of a key path. The same as ``init(_:ascending:textOrder:)``.
    public init(
        key: String, ascending: Bool, textOrder: BoundSort.TextOrder = .scalars
    ) {
        self.init(key, ascending: ascending, textOrder: textOrder)
    }
}
