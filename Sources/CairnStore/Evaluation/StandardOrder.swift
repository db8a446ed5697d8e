import CairnModel
import Foundation

/// Texts as bytes whose order is the one that a sort asks for.
public enum StandardOrder {
    /// Returns bytes that compare by `memcmp` as the texts do in that order.
    ///
    /// Standard: folded as `[cd]`; a run of ASCII digits counts as its number; at last the text
    /// itself, so that only equal texts are equal.
    public static func bytes(of text: String, _ order: BoundSort.TextOrder) -> [UInt8] {
        switch order {
        case .scalars: Array(text.utf8)
        case .caseInsensitive: Array(PredicateText.folded(text, .caseInsensitive).utf8)
        case .standard:
            numbered(PredicateText.folded(text, [.caseInsensitive, .diacriticInsensitive]))
                + [0] + Array(text.utf8)
        }
    }

    /// A run of digits becomes `0`, how many digits it has without leading zeros, and those: a
    /// longer number is larger. The count takes a byte for each 254.
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
