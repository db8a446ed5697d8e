import CairnModel
import CairnStore
import Foundation

/// Converts text to bytes whose order is the one that a sort asks for.
package enum StandardOrder {
    /// Returns bytes that `memcmp` orders in the same way as `order` orders the strings.
    ///
    /// In the standard order, the text is folded as with `[cd]`, and each sequence of ASCII digits
    /// is compared as a number. The text itself is added at the end, so that only equal strings
    /// have equal bytes.
    package static func bytes(of text: String, _ order: BoundSort.TextOrder) -> [UInt8] {
        switch order {
        case .scalars: Array(text.utf8)
        case .caseInsensitive: Array(PredicateText.folded(text, .caseInsensitive).utf8)
        case .standard:
            numbered(PredicateText.folded(text, [.caseInsensitive, .diacriticInsensitive]))
                + [0] + Array(text.utf8)
        }
    }

    /// Replaces each sequence of digits by `0`, the number of its digits without leading zeros, and
    /// these digits, so that a number with more digits is greater. The number of digits takes one
    /// byte for each 254 of them.
    private static func numbered(_ text: String) -> [UInt8] {
        var result: [UInt8] = []
        var digits: [UInt8] = []
        var isInNumber = false
        func endNumber(_ result: inout [UInt8]) {
            guard isInNumber else { return }
            result.append(UInt8(ascii: "0"))
            result += Array(repeating: 255, count: digits.count / 254)
            result.append(UInt8(digits.count % 254))
            result += digits
            digits = []
            isInNumber = false
        }
        for byte in text.utf8 {
            if (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
                isInNumber = true
                if byte != UInt8(ascii: "0") || !digits.isEmpty { digits.append(byte) }
            } else {
                endNumber(&result)
                result.append(byte)
            }
        }
        endNumber(&result)
        return result
    }
}
