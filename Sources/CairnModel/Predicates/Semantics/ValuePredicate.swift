import Foundation

/// A condition on a single value, as used by validation rules: `SELF >= 3` or `length >= 2`.
///
/// `SELF` is the value. `length` is the number of UTF-16 code units of a string or of bytes of binary data,
/// and `timeIntervalSinceReferenceDate` is the number of seconds from 2001 to a date. Otherwise, the
/// meaning is the same as for predicates on objects.
package struct ValuePredicate: Sendable {
    private let test: @Sendable (Value) throws(FetchPredicateError) -> Bool

    /// Compiles a predicate for values of the type.
    ///
    /// - Throws: `.unknownKey` for any other key path, `.unsupported` for forms that require objects,
    ///   `.typeMismatch`, `.unsetVariable`, `.invalidRegularExpression` or `.tooDeep`.
    package init(_ predicate: FetchPredicate, for type: AttributeType) throws(FetchPredicateError) {
        guard predicate.depth <= FetchPredicate.depthLimit else {
            throw .tooDeep(limit: FetchPredicate.depthLimit)
        }
        test = try Self.compile(predicate, type)
    }

    /// Returns whether the value meets the condition.
    ///
    /// - Throws: `.matchingLimit` if matching a pattern takes too many steps.
    package func holds(for value: Value) throws(FetchPredicateError) -> Bool { try test(value) }

    private static func compile(
        _ predicate: FetchPredicate, _ type: AttributeType
    ) throws(FetchPredicateError) -> @Sendable (Value) throws(FetchPredicateError) -> Bool {
        switch predicate {
        case .constant(let flag): return { _ in flag }
        case .not(let part):
            let test = try compile(part, type)
            return { value throws(FetchPredicateError) in !(try test(value)) }
        case .and(let parts):
            let tests = try compile(parts, type)
            return { value throws(FetchPredicateError) in
                for test in tests where !(try test(value)) { return false }
                return true
            }
        case .or(let parts):
            let tests = try compile(parts, type)
            return { value throws(FetchPredicateError) in
                for test in tests where try test(value) { return true }
                return false
            }
        case .comparison(let comparison): return try compile(comparison, type)
        }
    }

    private static func compile(
        _ parts: [FetchPredicate], _ type: AttributeType
    ) throws(FetchPredicateError) -> [@Sendable (Value) throws(FetchPredicateError) -> Bool] {
        var tests: [@Sendable (Value) throws(FetchPredicateError) -> Bool] = []
        for part in parts { tests.append(try compile(part, type)) }
        return tests
    }

    private static func compile(
        _ comparison: PredicateComparison, _ type: AttributeType
    ) throws(FetchPredicateError) -> @Sendable (Value) throws(FetchPredicateError) -> Bool {
        guard comparison.modifier == .direct else {
            throw .unsupported(
                expression: comparison.description,
                advice: "A validation rule checks one value, so it cannot use ANY, ALL or NONE.")
        }
        let left = try ValueOperand(comparison.left, for: type)
        let name = comparison.description
        let (word, options) = (comparison.operator, comparison.options)
        if word == .in || word == .between {
            guard case .list(let items) = comparison.right else {
                throw .typeMismatch(expression: name, detail: "\(word) needs a list on the right")
            }
            var elements: [Value] = []
            for item in items {
                elements.append(try ValueOperand(item, for: type).constant(for: left, in: name))
            }
            let test = ValueTest(word, options, list: elements)
            return { value throws(FetchPredicateError) in try test.holds(left.read(value)) }
        }
        let right = try ValueOperand(comparison.right, for: type)
        try ValueOperand.check(left, word, right, in: name)
        if right.isConstant {
            let test = try ValueTest(word, options, right: try right.constant(for: left, in: name))
            return { value throws(FetchPredicateError) in try test.holds(left.read(value)) }
        }
        guard word != .matches else {
            throw .unsupported(
                expression: name, advice: "The regular expression of MATCHES must be a constant.")
        }
        let constant = left.isConstant ? try left.constant(for: right, in: name) : .null
        return { value throws(FetchPredicateError) in
            let test = try ValueTest(word, options, right: right.read(value))
            return try test.holds(left.isConstant ? constant : left.read(value))
        }
    }
}
