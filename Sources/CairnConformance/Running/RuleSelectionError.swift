/// An error that explains why no rules were selected.
package struct RuleSelectionError: Error, Sendable, CustomStringConvertible {
    /// What was requested, and what is available.
    package let description: String
}
