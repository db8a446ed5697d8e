import CairnModel

/// One key to sort by.
///
/// nil comes before everything, false before true, NaN before all numbers; text by Unicode
/// scalars. Descending turns all of that around.
public struct BoundSort: Sendable, Hashable {
    /// How text is ordered.
    public enum TextOrder: Sendable, Hashable {
        /// By Unicode scalars.
        case scalars
        /// By Unicode scalars after default case folding, as `[c]` compares.
        case caseInsensitive
        /// By case and diacritics folded, digits by value; then by scalars. The same everywhere.
        case standard
    }

    /// Single-valued; its leaf is an attribute, or the object itself to sort by key.
    public var path: BoundPath
    /// `false` turns the whole order around, so that nil comes last.
    public var isAscending: Bool
    /// How text is ordered; without effect on values of other types.
    public var textOrder: TextOrder

    /// Sorts ascending by Unicode scalars unless told otherwise.
    public init(_ path: BoundPath, isAscending: Bool = true, textOrder: TextOrder = .scalars) {
        self.path = path
        self.isAscending = isAscending
        self.textOrder = textOrder
    }
}
