import Foundation

/// Finds code whose memory safety the compiler does not check.
enum UnsafeCode {
    /// A kind of unsafe code that a source may use. The raw value is its name in the list.
    enum Use: String, CaseIterable {
        case unmanaged = "Unmanaged"
        case exclusivity = "@exclusivity(unchecked)"
        case effects = "@_effects"
        case uncountedVariable = "unowned(unsafe)"
        case cast = "unsafe cast"
        case guaranteedReference = "_withUnsafeGuaranteedRef"
        case isolation = "nonisolated(unsafe)"
        case sendable = "@unchecked Sendable"
        case storedPointer = "stored pointer"

        /// A word that every line with this use contains. Lines without the word need no regular expression.
        fileprivate var word: String {
            switch self {
            case .cast: "unsafe"
            case .storedPointer: "Unsafe"
            default: rawValue
            }
        }

        fileprivate var expression: String {
            switch self {
            case .cast: #"\bunsafe(BitCast|Downcast)\b"#
            case .storedPointer: #"\b(let|var) \w+: (Swift\.)?Unsafe\w*Pointer\b[^{]*$"#
            case .unmanaged: #"\bUnmanaged\b"#
            default: NSRegularExpression.escapedPattern(for: rawValue)
            }
        }
    }

    /// Returns the kinds of unsafe code that a source uses. Comments are ignored. A pointer counts as stored
    /// if it is declared at most two levels deep, where properties are declared.
    static func uses(in source: String) -> Set<Use> {
        let possible = Use.allCases.filter { source.contains($0.word) }
        var found: Set<Use> = []
        if possible.isEmpty { return found }
        for line in source.split(separator: "\n") {
            let indentation = line.prefix { $0 == " " }.count
            let text = line.drop { $0 == " " }
            if text.hasPrefix("//") { continue }
            for use in possible where use != .storedPointer || indentation <= 8 {
                if text.contains(use.word),
                    text.range(of: use.expression, options: .regularExpression) != nil
                {
                    found.insert(use)
                }
            }
        }
        return found
    }
}
