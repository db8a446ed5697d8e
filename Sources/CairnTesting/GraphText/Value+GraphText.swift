import Cairn
import CairnModel
import Foundation

extension Value {
    /// The value as it is written in the text of a graph, on one line.
    var graphText: String {
        switch self {
        case .string(let text): text.debugDescription
        case .date(let date): ISO8601Date.roundedText(date) ?? description
        case .binary(let data), .transformable(let data): data.graphText
        case .composite(let elements):
            "("
                + elements.sorted { $0.key.compared(to: $1.key) == .before }
                .map { "\($0.key): \($0.value.graphText)" }.joined(separator: ", ") + ")"
        default: description
        }
    }
}

extension Data {
    /// The number of bytes and a hash (64-bit FNV-1a, folded to 32 bits).
    fileprivate var graphText: String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in self { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        let digits = String(hash >> 32 ^ hash & 0xffff_ffff, radix: 16)
        let padding = String(repeating: "0", count: 8 - digits.count)
        return "\(count) \(count == 1 ? "byte" : "bytes") (\(padding)\(digits))"
    }
}
