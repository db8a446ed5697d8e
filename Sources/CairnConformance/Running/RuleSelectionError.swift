/// An error that explains why no rules were selected.
public struct RuleSelectionError: Error, Sendable, CustomStringConvertible {
    /// What was requested, and what is available.
    public let description: String
}
