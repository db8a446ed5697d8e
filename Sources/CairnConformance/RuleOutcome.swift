import CairnStore

/// What a run of a rule proved.
public enum RuleOutcome: Sendable, Hashable {
    case kept
    /// The engine lacks the capability that the rule needs, and keeps the twin.
    case twinKept
    /// The engine does not have what the rule is about. Nothing was proved.
    case notApplicable(String)
}
