import CairnModel
import Foundation

extension RowSource {
    /// Compares the bytes of a text with a constant one; folded, where both are ASCII.
    func textTest(
        _ slots: SlotTable, _ comparison: BoundComparison, _ value: Value
    ) -> ValuesTest? {
        guard case .string(let text) = value, let word = TextOperator(comparison.operator) else {
            return nil
        }
        let constant = Array(PredicateText.folded(text, comparison.options).utf8)
        let ofNull = comparison.operator == .notEqual
        if comparison.options.isEmpty {
            return { row in
                guard let slot = slots.slot(for: row), !row.isNull(slot) else { return ofNull }
                guard slot.kind == .string else { return false }
                return word.holds(row.unsafeBytes(slot), constant)
            }
        }
        let options = comparison.options
        return { row in
            guard let slot = slots.slot(for: row), !row.isNull(slot) else { return ofNull }
            guard slot.kind == .string else { return false }
            let bytes = row.unsafeBytes(slot)
            if let answer = Self.foldedASCII(bytes, options, { word.holds($0, constant) }) {
                return answer
            }
            var folded = PredicateText.folded(row.string(slot), options)
            return folded.withUTF8 { word.holds(UnsafeRawBufferPointer($0), constant) }
        }
    }

    /// Folds short ASCII text on the stack; nil for any other.
    private static func foldedASCII(
        _ bytes: UnsafeRawBufferPointer, _ options: PredicateComparison.Options,
        _ body: (UnsafeRawBufferPointer) -> Bool
    ) -> Bool? {
        guard bytes.count <= 512, bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
        guard options.contains(.caseInsensitive) else { return body(bytes) }
        return withUnsafeTemporaryAllocation(byteCount: max(bytes.count, 1), alignment: 1) {
            for (index, byte) in bytes.enumerated() {
                $0[index] = (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
            }
            return body(UnsafeRawBufferPointer(rebasing: $0[..<bytes.count]))
        }
    }
}

/// The operators that compare bytes of text.
private enum TextOperator {
    case order(PredicateComparison.Operator)
    case part(PredicateComparison.Operator)

    init?(_ word: PredicateComparison.Operator) {
        switch word {
        case .equal, .notEqual, .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual:
            self = .order(word)
        case .beginsWith, .endsWith, .contains: self = .part(word)
        default: return nil
        }
    }

    func holds(_ bytes: UnsafeRawBufferPointer, _ constant: [UInt8]) -> Bool {
        constant.withUnsafeBytes { other in
            switch self {
            case .order(let word): word.holds(forOrder: PredicateText.order(bytes, other))
            case .part(let word): PredicateText.compare(bytes, word, other)
            }
        }
    }
}
