import CairnModel
import CairnStore

/// A key path to sort by.
public struct FetchSortDescriptor: Sendable, Hashable, Codable {
    /// The key path, which leads through to-one relationships to an attribute.
    public var keyPath: String
    /// Whether the smallest value comes first.
    public var isAscending: Bool
    /// How strings are compared.
    public var textOrder: BoundSort.TextOrder

    /// Creates a descriptor that sorts by the values at a key path.
    public init(
        _ keyPath: String, ascending: Bool = true, textOrder: BoundSort.TextOrder = .scalars
    ) {
        self.keyPath = keyPath
        isAscending = ascending
        self.textOrder = textOrder
    }

    /// Creates a descriptor that sorts by the values at a key path. This is
    /// ``init(_:ascending:textOrder:)`` with Core Data's parameter names.
    public init(
        key: String, ascending: Bool, textOrder: BoundSort.TextOrder = .scalars
    ) {
        self.init(key, ascending: ascending, textOrder: textOrder)
    }
}
