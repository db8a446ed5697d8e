/// A column of the first table of a report: what a program does most with its objects.
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
