import CairnModel

extension PredicateTranslator {
    /// Translates `LIKE`, `MATCHES`, `BEGINSWITH`, `ENDSWITH` and `CONTAINS` on text.
    mutating func textCondition(
        _ left: SQLOperand, _ comparison: BoundComparison, _ truth: Truth
    ) throws(Untranslatable) -> SQLText {
        let right = try operand(comparison.right)
        if case .null = left { return "0" }
        if case .null = right { return "0" }
        guard case .expression(let text, .text) = left else { throw Untranslatable() }
        switch comparison.operator {
        case .like: return try pattern("cairn_like", text, right, comparison.options, truth)
        case .matches: return try pattern("cairn_matches", text, right, comparison.options, truth)
        default: break
        }
        let options = comparison.options
        if comparison.operator == .beginsWith, options.isEmpty,
            case .constant(.string(let prefix)) = right
        {
            return range(of: text, beginningWith: prefix, truth)
        }
        let (whole, part) = (folded(text, .text, options), try partText(right, options))
        return switch comparison.operator {
        case .beginsWith: Self.known("cairn_begins(\(whole), \(part))", truth)
        case .endsWith: Self.known("cairn_ends(\(whole), \(part))", truth)
        default: Self.known("cairn_contains(\(whole), \(part))", truth)
        }
    }

    private func partText(
        _ operand: SQLOperand, _ options: PredicateComparison.Options
    ) throws(Untranslatable) -> SQLText {
        switch operand {
        case .constant(.string(let text)):
            return "\(bind: .text(PredicateText.folded(text, options)))"
        case .expression(let sql, .text): return folded(sql, .text, options)
        default: throw Untranslatable()
        }
    }

    /// Translates a pattern match. Only constant patterns are supported; they are compiled once per
    /// statement.
    private func pattern(
        _ function: SQLText, _ text: SQLText, _ pattern: SQLOperand,
        _ options: PredicateComparison.Options, _ truth: Truth
    ) throws(Untranslatable) -> SQLText {
        guard case .constant(.string(let pattern)) = pattern else { throw Untranslatable() }
        let options: SQLText = "\(bind: .integer(Int64(options.rawValue)))"
        return Self.known("\(function)(\(bind: .text(pattern)), \(options), \(text))", truth)
    }

    /// Translates a prefix test without options to a range, which an index can find. Texts with a
    /// common prefix are adjacent in byte order.
    private func range(
        of text: SQLText, beginningWith prefix: String, _ truth: Truth
    ) -> SQLText {
        if prefix.isEmpty { return "(\(text) IS NOT NULL)" }
        let low: SQLText = "\(text) >= \(bind: .text(prefix))"
        guard let end = Self.end(ofTextsBeginningWith: prefix) else {
            return Self.known(low, truth)
        }
        return Self.known("(\(low) AND \(text) < \(bind: .text(end)))", truth)
    }

    /// Returns the first string, in scalar order, after all strings that begin with the prefix.
    /// Returns `nil` if there is no such string.
    static func end(ofTextsBeginningWith prefix: String) -> String? {
        var scalars = Array(prefix.unicodeScalars)
        while let last = scalars.popLast() {
            // Surrogates are not scalars, so U+E000 follows U+D7FF.
            let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
            guard let scalar = Unicode.Scalar(next) else { continue }
            var result = String.UnicodeScalarView()
            result.append(contentsOf: scalars + [scalar])
            return String(result)
        }
        return nil
    }

    /// Returns the expression, folded as the options require.
    func folded(
        _ sql: SQLText, _ kind: SQLOperand.Kind, _ options: PredicateComparison.Options
    ) -> SQLText {
        let options = options.subtracting(.normalized)
        guard kind == .text, !options.isEmpty else { return sql }
        return "cairn_fold(\(sql), \(bind: .integer(Int64(options.rawValue))))"
    }

    /// Returns the constant, folded as the options require.
    static func folded(_ value: Value, _ options: PredicateComparison.Options) -> Value {
        guard case .string(let text) = value else { return value }
        return .string(PredicateText.folded(text, options))
    }
}
