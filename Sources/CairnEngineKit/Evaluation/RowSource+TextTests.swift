import CairnModel
import Foundation

extension RowSource {
    /// Returns a test that compares the bytes of a string with a constant string.
    func textTest(
        _ slots: SlotTable, _ comparison: BoundComparison, _ value: Value
    ) -> ValuesTest? {
        guard case .string(let text) = value,
            let word = TextOperator(comparison.operator, text, comparison.options)
        else { return nil }
        let ofNull = comparison.operator == .notEqual
        let interruption = interruption
        if word.canTakeLong { interruption.guardsTests = true }
        if comparison.options.isEmpty {
            return ValuesTest { row in
                guard let slot = slots.slot(for: row), !row.isNull(slot) else { return ofNull }
                guard slot.kind == .string else { return false }
                return word.holds(row.unsafeBytes(slot), interruption)
            }
        }
        let options = comparison.options
        return ValuesTest { row in
            guard let slot = slots.slot(for: row), !row.isNull(slot) else { return ofNull }
            guard slot.kind == .string else { return false }
            let bytes = row.unsafeBytes(slot)
            let answer = PredicateText.withFoldedASCII(bytes, options) {
                word.holds($0, interruption)
            }
            if let answer { return answer }
            var folded = PredicateText.folded(row.string(slot), options)
            return folded.withUTF8 { word.holds(UnsafeRawBufferPointer($0), interruption) }
        }
    }
}

/// A comparison with a constant text. It compares bytes, which are folded first if the options
/// require that.
private enum TextOperator {
    case order(PredicateComparison.Operator, [UInt8])
    case part(PredicateComparison.Operator, [UInt8])
    case pattern(LikePattern)
    case expression(TextExpression)

    init?(
        _ word: PredicateComparison.Operator, _ text: String,
        _ options: PredicateComparison.Options
    ) {
        let constant = Array(PredicateText.folded(text, options).utf8)
        switch word {
        case .equal, .notEqual, .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual:
            self = .order(word, constant)
        case .beginsWith, .endsWith, .contains: self = .part(word, constant)
        case .like: self = .pattern(LikePattern(text, options))
        case .matches where options.isEmpty:
            // The general test refuses an expression that does not compile.
            guard let expression = try? TextExpression(text) else { return nil }
            self = .expression(expression)
        default: return nil
        }
    }

    /// Whether testing a single text can take much longer than its length suggests.
    var canTakeLong: Bool {
        switch self {
        case .order, .part: false
        case .pattern, .expression: true
        }
    }

    func holds(_ bytes: UnsafeRawBufferPointer, _ interruption: FilterInterruption) -> Bool {
        switch self {
        case .order(let word, let constant):
            constant.withUnsafeBytes { word.holds(forOrder: PredicateText.order(bytes, $0)) }
        case .part(let word, let constant):
            constant.withUnsafeBytes { PredicateText.compare(bytes, word, $0) }
        case .pattern(let pattern):
            interruption.answer { () throws(FetchPredicateError) in
                try pattern.matches(folded: bytes)
            }
        case .expression(let expression):
            interruption.answer { () throws(FetchPredicateError) in
                try expression.matches(utf8: bytes)
            }
        }
    }
}
