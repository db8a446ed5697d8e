/// The result of a rule that is not broken.
public enum RuleOutcome: Sendable, Hashable {
    /// The engine keeps the rule.
    case kept
    /// The engine lacks the capability that the rule needs, and keeps the rule's twin.
    case alternativeKept
    /// The engine does not have the feature that the rule is about. Nothing was tested.
    case notApplicable(String)
}
