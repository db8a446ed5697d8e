import Foundation

/// An ICU regular expression that a whole text must match: `MATCHES`, and a string attribute's
/// validation.
///
/// ICU backtracks: a hostile expression can take long, so expressions are for authors, not users.
public struct TextExpression: Sendable {
    private let expression: NSRegularExpression
    private let options: PredicateComparison.Options
    /// What every text that matches begins with; empty where that is not plain to see. Most texts are
    /// refused by it, before ICU is asked, which costs a microsecond.
    private let beginning: [UInt8]

    /// Compiles the expression.
    ///
    /// - Throws: `.invalidRegularExpression`.
    public init(
        _ pattern: String, _ options: PredicateComparison.Options = []
    ) throws(FetchPredicateError) {
        self.options = options.subtracting(.caseInsensitive)
        let plain = PredicateText.folded(pattern, self.options)
        beginning = options.contains(.caseInsensitive) ? [] : Self.beginning(of: plain)
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

    /// The letters and digits that a pattern without alternatives begins with, as far as none is
    /// optional or repeated.
    private static func beginning(of pattern: String) -> [UInt8] {
        guard !pattern.contains("|") else { return [] }
        let bytes = pattern.utf8
        let plain = bytes.prefix { byte in
            0x30...0x39 ~= byte || 0x41...0x5A ~= byte || 0x61...0x7A ~= byte
        }
        let isCounted = bytes.dropFirst(plain.count).first.map("*?+{".utf8.contains) ?? false
        return Array(isCounted ? plain.dropLast() : plain)
    }

    /// Whether the expression describes the whole text.
    public func matches(_ text: String) -> Bool {
        let plain = options.isEmpty ? text : PredicateText.folded(text, options)
        guard plain.utf8.starts(with: beginning) else { return false }
        let whole = NSRange(location: 0, length: plain.utf16.count)
        return expression.firstMatch(in: plain, options: .anchored, range: whole) != nil
    }

    /// The same of UTF-8.
    package func matches(utf8 text: UnsafeRawBufferPointer) -> Bool {
        if options.isEmpty {
            let begins = beginning.withUnsafeBytes { PredicateText.compare(text, .beginsWith, $0) }
            guard begins else { return false }
        }
        return matches(String(decoding: text, as: UTF8.self))
    }
}
