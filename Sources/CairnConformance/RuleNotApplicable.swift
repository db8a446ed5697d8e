import CairnStore

/// Ends a rule that says nothing about an engine, because the engine does not have what the rule is
/// about. The report then counts the rule as not applicable, and never as kept.
public struct RuleNotApplicable: Error, Sendable {
    /// What the engine does not have.
    public let reason: String

    /// - Parameter reason: what the engine does not have, such as “it has no option timeout”.
    public init(_ reason: String) { self.reason = reason }
}
