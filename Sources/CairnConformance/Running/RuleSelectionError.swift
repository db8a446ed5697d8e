/// Why no rules were chosen.
public struct RuleSelectionError: Error, Sendable, CustomStringConvertible {
    /// What was asked for, and what there is.
    public let description: String
}
