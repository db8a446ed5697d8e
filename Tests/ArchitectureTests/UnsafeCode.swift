import Foundation

/// Finds code whose memory safety the compiler does not check.
enum UnsafeCode {
    /// What a source uses. The raw value is how the list names it.
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

        fileprivate var expression: String {
            switch self {
            case .cast: #"\bunsafe(BitCast|Downcast)\b"#
            case .storedPointer: #"\b(let|var) \w+: (Swift\.)?Unsafe\w*Pointer\b[^{]*$"#
            case .unmanaged: #"\bUnmanaged\b"#
            default: NSRegularExpression.escapedPattern(for: rawValue)
            }
        }
    }

    /// Returns what the code of a source uses. Comments do not count, and a stored pointer is one that is
    /// declared at most two levels deep, where properties are.
    static func uses(in source: String) -> Set<Use> {
        var found: Set<Use> = []
        for line in source.split(separator: "\n") {
            let code = line.prefix { $0 == " " }.count
            let text = line.drop { $0 == " " }
            if text.hasPrefix("//") { continue }
            for use in Use.allCases where use != .storedPointer || code <= 8 {
                if text.range(of: use.expression, options: .regularExpression) != nil {
                    found.insert(use)
                }
            }
        }
        return found
    }
}
