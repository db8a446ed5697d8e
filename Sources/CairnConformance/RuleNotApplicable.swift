/// An error that ends a rule because the engine does not have the feature that the rule is about. The
/// report counts the rule as not applicable, not as kept.
package struct RuleNotApplicable: Error, Sendable {
    /// The feature that the engine does not have.
    package let reason: String

    /// Creates an error.
    ///
    /// - Parameter reason: The feature that the engine does not have, such as “it has no option timeout”.
    package init(_ reason: String) { self.reason = reason }
}
