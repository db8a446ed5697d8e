import CairnModel

/// One key to sort by.
///
/// In ascending order, `nil` comes before all values, `false` before `true`, and NaN before all
/// other numbers. Text is ordered by Unicode scalars, unless ``textOrder`` says otherwise. A
/// descending sort reverses the whole order.
public struct BoundSort: Sendable, Hashable {
    /// The ways in which text can be ordered.
    public enum TextOrder: Sendable, Hashable {
        /// By Unicode scalars.
        case scalars
        /// By Unicode scalars after default case folding, like comparisons with `[c]`.
        case caseInsensitive
        /// By text with case and diacritics folded and with digits compared by value, then by
        /// scalars. The order does not depend on the locale.
        case standard
    }

    /// A single-valued path. It ends in an attribute, or in the object itself to sort by key.
    public var path: BoundPath
    /// Whether the order is ascending. `false` reverses the whole order, so that `nil` comes last.
    public var isAscending: Bool
    /// How text is ordered. Has no effect on values of other types.
    public var textOrder: TextOrder

    /// Creates a sort key. By default, the order is ascending, and text is ordered by Unicode
    /// scalars.
    package init(_ path: BoundPath, isAscending: Bool = true, textOrder: TextOrder = .scalars) {
        self.path = path
        self.isAscending = isAscending
        self.textOrder = textOrder
    }
}
