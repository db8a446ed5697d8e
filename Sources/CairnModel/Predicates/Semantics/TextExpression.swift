import Foundation

/// An ICU regular expression that a whole text must match: `MATCHES`, and a string attribute's
/// validation.
///
/// ICU backtracks: a hostile expression can take long, so expressions are for authors, not users.
public struct TextExpression: Sendable {
    private let expression: NSRegularExpression
    private let options: PredicateComparison.Options

    /// Compiles the expression.
    ///
    /// - Throws: `.invalidRegularExpression`.
    public init(
        _ pattern: String, _ options: PredicateComparison.Options = []
    ) throws(FetchPredicateError) {
        self.options = options.subtracting(.caseInsensitive)
        let plain = PredicateText.folded(pattern, self.options)
        let mode: NSRegularExpression.Options =
            options.contains(.caseInsensitive) ? .caseInsensitive : []
        do {
            // Alone first: the group must not mend what is broken, such as `a)(b`.
            _ = try NSRegularExpression(pattern: plain, options: mode)
            expression = try NSRegularExpression(pattern: "(?:\(plain))\\z", options: mode)
        } catch {
            throw .invalidRegularExpression(pattern)
        }
    }

    /// Whether the expression describes the whole text.
    public func matches(_ text: String) -> Bool {
        let plain = options.isEmpty ? text : PredicateText.folded(text, options)
        let whole = NSRange(location: 0, length: plain.utf16.count)
        return expression.firstMatch(in: plain, options: .anchored, range: whole) != nil
    }
}
