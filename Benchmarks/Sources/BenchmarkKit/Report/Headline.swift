/// A column of the overview table: one of a program's most frequent operations with objects.
public enum Headline: String, Sendable, Codable, CaseIterable {
    /// Fetch objects.
    case fetch
    /// Fire a fault.
    case fault
    /// Follow a relationship.
    case relationship
    /// Save.
    case save
    /// Open a store.
    case open
}
