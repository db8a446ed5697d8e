import Foundation

/// An ICU regular expression that must match a whole text. Used for `MATCHES` and for validation of string
/// attributes.
///
/// ICU tries one alternative after the other, and a malicious expression can have more alternatives than
/// can ever be tried. Therefore, matching is limited to 2,000,000 steps, plus 100 for each UTF-16 code
/// unit of the text. Steps are counted in units of 10,000. The memory that ICU uses for alternatives that
/// it has not tried yet is also limited. A step is an alternative that ICU records. It takes as long as
/// passing over the corresponding part of the text. The limits do not depend on time, so the same text
/// and expression have the same result everywhere.
package struct TextExpression: Sendable {
    private let expression: NSRegularExpression
    private let pattern: String
    private let options: PredicateComparison.Options
    /// The bytes that every matching string begins with. Empty if they are not easy to determine. A check of
    /// these bytes rejects most strings without calling ICU, which takes a microsecond.
    private let beginning: [UInt8]

    /// The number of steps that matching an empty text may take.
    private static let baseStepLimit = 2_000_000
    /// The number of additional steps for each UTF-16 code unit.
    private static let stepsPerCodeUnit = 100
    /// The number of steps after which ICU reports its progress (`TIMER_INITIAL_VALUE` in its
    /// rematch.cpp).
    private static let stepsPerReport = 10_000

    /// Compiles an expression.
    ///
    /// - Throws: `.invalidRegularExpression`.
    package init(
        _ pattern: String, _ options: PredicateComparison.Options = []
    ) throws(FetchPredicateError) {
        self.pattern = pattern
        self.options = options.subtracting(.caseInsensitive)
        let plain = PredicateText.folded(pattern, self.options)
        beginning = options.contains(.caseInsensitive) ? [] : Self.beginning(of: plain)
        let mode: NSRegularExpression.Options =
            options.contains(.caseInsensitive) ? .caseInsensitive : []
        do {
            // Compile the expression on its own first. Otherwise, the added group could make an invalid
            // expression valid, such as `a)(b`.
            _ = try NSRegularExpression(pattern: plain, options: mode)
            expression = try NSRegularExpression(pattern: "(?:\(plain))\\z", options: mode)
        } catch {
            throw .invalidRegularExpression(pattern)
        }
    }

    /// Returns the letters and digits at the start of a pattern without alternatives, up to the first one
    /// that is optional or repeated.
    private static func beginning(of pattern: String) -> [UInt8] {
        guard !pattern.contains("|") else { return [] }
        let bytes = pattern.utf8
        let plain = bytes.prefix { byte in
            0x30...0x39 ~= byte || 0x41...0x5A ~= byte || 0x61...0x7A ~= byte
        }
        let isCounted = bytes.dropFirst(plain.count).first.map("*?+{".utf8.contains) ?? false
        return Array(isCounted ? plain.dropLast() : plain)
    }

    /// Returns whether the expression matches the whole text.
    ///
    /// - Throws: `.matchingLimit` if matching takes too many steps.
    package func matches(_ text: String) throws(FetchPredicateError) -> Bool {
        let plain = options.isEmpty ? text : PredicateText.folded(text, options)
        guard plain.utf8.starts(with: beginning) else { return false }
        let codeUnitCount = plain.utf16.count
        let stepLimit = Self.baseStepLimit + Self.stepsPerCodeUnit * codeUnitCount
        switch outcome(plain, codeUnitCount: codeUnitCount, stepLimit: stepLimit) {
        case .match: return true
        case .noMatch: return false
        case .exceeded: throw .matchingLimit(pattern: pattern, stepLimit: stepLimit)
        }
    }

    private enum Outcome { case match, noMatch, exceeded }

    private func outcome(_ text: String, codeUnitCount: Int, stepLimit: Int) -> Outcome {
        var outcome = Outcome.noMatch
        var steps = 0
        // Completion must be reported, because only its flags reveal that ICU gave up.
        expression.enumerateMatches(
            in: text, options: [.anchored, .reportProgress, .reportCompletion],
            range: NSRange(location: 0, length: codeUnitCount)
        ) { match, flags, stop in
            if match != nil {
                outcome = .match
                stop.pointee = true
            } else if flags.contains(.progress) {
                steps += Self.stepsPerReport
                guard steps > stepLimit else { return }
                outcome = .exceeded
                stop.pointee = true
            } else if flags.contains(.internalError) {
                outcome = .exceeded
            }
        }
        if steps > 0 { StepCounter.report(steps) }
        return outcome
    }

    /// Returns whether the expression matches the whole text, which is UTF-8.
    ///
    /// - Throws: `.matchingLimit` if matching takes too many steps.
    package func matches(
        utf8 text: UnsafeRawBufferPointer
    ) throws(FetchPredicateError) -> Bool {
        if options.isEmpty {
            let begins = beginning.withUnsafeBytes { PredicateText.compare(text, .beginsWith, $0) }
            guard begins else { return false }
        }
        return try matches(String(decoding: text, as: UTF8.self))
    }
}
