internal import CairnModel
internal import CairnQueries
internal import CairnStack
public import Foundation

// Foundation has this part of `#Predicate` only on Apple's systems.
extension PredicateExpressions {
    /// The expression of `localizedStandardContains(_:)` in a predicate.
    public struct StringLocalizedStandardContains<
        Root: PredicateExpression, Other: PredicateExpression
    >:
        PredicateExpression
    where Root.Output: StringProtocol, Other.Output: StringProtocol {
        /// The text that is searched.
        public let root: Root
        /// The text that is searched for.
        public let other: Other

        /// Creates the expression.
        ///
        /// - Parameters:
        ///   - root: The text that is searched.
        ///   - other: The text that is searched for.
        public init(root: Root, other: Other) {
            self.root = root
            self.other = other
        }

        /// Returns whether the text contains the other one, ignoring case and diacritics.
        ///
        /// - Throws: The errors of evaluating both texts.
        public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
            let text = String(try root.evaluate(bindings))
            let searched = String(try other.evaluate(bindings))
            return text.range(of: searched, options: [.caseInsensitive, .diacriticInsensitive])
                != nil
        }
    }

    /// Creates the expression of `localizedStandardContains(_:)`. The macro `#Predicate` calls this.
    ///
    /// - Parameters:
    ///   - root: The text that is searched.
    ///   - other: The text that is searched for.
    public static func build_localizedStandardContains<Root, Other>(
        _ root: Root, _ other: Other
    ) -> StringLocalizedStandardContains<Root, Other> {
        StringLocalizedStandardContains(root: root, other: other)
    }
}

extension PredicateExpressions.StringLocalizedStandardContains: StandardPredicateExpression
where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}

extension PredicateExpressions.StringLocalizedStandardContains: Codable
where Root: Codable, Other: Codable {}

extension PredicateExpressions.StringLocalizedStandardContains: Sendable
where Root: Sendable, Other: Sendable {}

extension PredicateExpressions.StringLocalizedStandardContains: ReadableExpression {
    func read(by reader: inout SwiftPredicateReader) throws(GraphError) -> SwiftPredicateReader.Term
    {
        .predicate(
            .comparison(
                PredicateComparison(
                    try reader.value(root), .contains, try reader.value(other),
                    options: [.caseInsensitive, .diacriticInsensitive])))
    }
}
