import Foundation

/// A comparison of values with a right side that is prepared once.
package struct ValueTest: Sendable {
    private let `operator`: PredicateComparison.Operator
    private let options: PredicateComparison.Options
    private let right: Prepared

    private enum Prepared: Sendable {
        case value(Value)
        case pattern(LikePattern)
        case expression(TextExpression)
        case list([Value])
        case set(ValueSet)
        /// The comparison is always false, as for a text operator with nil.
        case never
    }

    /// Prepares a comparison with a single value. For `IN` and `BETWEEN`, use ``init(_:_:list:)``.
    ///
    /// - Throws: `.invalidRegularExpression`.
    package init(
        _ operator: PredicateComparison.Operator, _ options: PredicateComparison.Options = [],
        right: Value
    ) throws(FetchPredicateError) {
        self.operator = `operator`
        self.options = options
        switch (`operator`, right) {
        case (.like, .string(let pattern)): self.right = .pattern(LikePattern(pattern, options))
        case (.matches, .string(let pattern)):
            self.right = .expression(try TextExpression(pattern, options))
        case (.like, _), (.matches, _): self.right = .never
        default: self.right = .value(Self.folded(right, options))
        }
    }

    /// The length up to which a list is searched. Longer lists are hashed if they are tested often.
    private static let longestSearchedList = 8

    /// Prepares a comparison with a list, which contains the elements for `IN` or the two bounds for
    /// `BETWEEN`.
    ///
    /// Testing a value then takes the same time for lists of any length.
    package init(
        _ operator: PredicateComparison.Operator, _ options: PredicateComparison.Options = [],
        list: [Value]
    ) {
        self.operator = `operator`
        self.options = options
        let folded = options.isEmpty ? list : list.map { Self.folded($0, options) }
        right =
            `operator` == .in && list.count > Self.longestSearchedList
            ? .set(ValueSet(folded)) : .list(folded)
    }

    /// Prepares a comparison with a list that is tested with only a few values, such as the members of one
    /// object. Hashing such a list would take longer than searching it.
    package init(
        _ operator: PredicateComparison.Operator, _ options: PredicateComparison.Options,
        searching list: [Value]
    ) {
        self.operator = `operator`
        self.options = options
        right = .list(options.isEmpty ? list : list.map { Self.folded($0, options) })
    }

    /// Returns whether the comparison is true for a value on the left side.
    ///
    /// - Throws: `.matchingLimit` if matching a pattern takes too many steps.
    package func holds(_ value: Value) throws(FetchPredicateError) -> Bool {
        switch right {
        case .never: return false
        case .pattern(let pattern):
            guard case .string(let text) = value else { return false }
            return try pattern.matches(text)
        case .expression(let expression):
            guard case .string(let text) = value else { return false }
            return try expression.matches(text)
        case .value(let right): return compare(Self.folded(value, options), right)
        case .set(let set): return set.contains(Self.folded(value, options))
        case .list(let items): return compare(Self.folded(value, options), items)
        }
    }

    /// Returns whether the comparison is true for a count. It cannot throw, because only patterns throw, and
    /// they are false for all numbers.
    package func holds(forCount count: Int) -> Bool {
        (try? holds(.integer(Int64(count)))) ?? false
    }

    private func compare(_ left: Value, _ items: [Value]) -> Bool {
        guard `operator` == .between else {
            return items.contains { ValueOrder.areEqual(left, $0) }
        }
        guard items.count == 2, let low = ValueOrder.order(items[0], left),
            let high = ValueOrder.order(left, items[1])
        else { return false }
        return low <= 0 && high <= 0
    }

    private func compare(_ left: Value, _ right: Value) -> Bool {
        switch `operator` {
        case .equal: return ValueOrder.areEqual(left, right)
        case .notEqual: return !ValueOrder.areEqual(left, right)
        case .beginsWith, .endsWith, .contains:
            guard case .string(let text) = left, case .string(let part) = right else {
                return false
            }
            return PredicateText.compare(text, `operator`, part)
        default:
            guard let order = ValueOrder.order(left, right) else { return false }
            return `operator`.holds(forOrder: order)
        }
    }

    private static func folded(
        _ value: Value, _ options: PredicateComparison.Options
    ) -> Value {
        guard !options.isEmpty, case .string(let text) = value else { return value }
        return .string(PredicateText.folded(text, options))
    }
}

extension PredicateComparison.Operator {
    /// Returns whether the operator is true for sides in this order. Returns `false` for operators other than
    /// ordering, `==` and `!=`.
    package func holds(forOrder order: Int) -> Bool {
        switch self {
        case .lessThan: order < 0
        case .lessThanOrEqual: order <= 0
        case .greaterThan: order > 0
        case .greaterThanOrEqual: order >= 0
        case .equal: order == 0
        case .notEqual: order != 0
        default: false
        }
    }
}

extension PredicateText {
    /// Evaluates `BEGINSWITH`, `ENDSWITH` or `CONTAINS` on the bytes of UTF-8.
    static func compare(
        _ text: String, _ operator: PredicateComparison.Operator, _ part: String
    ) -> Bool {
        var (text, part) = (text, part)
        return text.withUTF8 { text in
            part.withUTF8 { part in
                compare(UnsafeRawBufferPointer(text), `operator`, UnsafeRawBufferPointer(part))
            }
        }
    }

    /// Evaluates `BEGINSWITH`, `ENDSWITH` or `CONTAINS` on bytes of UTF-8. Comparing bytes is enough, because
    /// the bytes of a scalar never begin within another scalar.
    package static func compare(
        _ text: UnsafeRawBufferPointer, _ operator: PredicateComparison.Operator,
        _ part: UnsafeRawBufferPointer
    ) -> Bool {
        guard part.count <= text.count else { return false }
        switch `operator` {
        case .beginsWith: return equal(text, at: 0, part)
        case .endsWith: return equal(text, at: text.count - part.count, part)
        default: return contains(text, part)
        }
    }

    private static func equal(
        _ text: UnsafeRawBufferPointer, at offset: Int, _ part: UnsafeRawBufferPointer
    ) -> Bool {
        guard let start = text.baseAddress, let other = part.baseAddress else {
            return part.isEmpty
        }
        return memcmp(start + offset, other, part.count) == 0
    }

    /// Searches for the first byte of `part` and compares the rest, which is fast for ordinary text. If this
    /// compares too many bytes, continues with ``containsInLinearTime(_:_:)``.
    private static func contains(
        _ text: UnsafeRawBufferPointer, _ part: UnsafeRawBufferPointer
    ) -> Bool {
        guard let first = part.first, let base = text.baseAddress else { return part.isEmpty }
        var offset = 0
        let last = text.count - part.count
        var bytesLeft = 4 * text.count
        while offset <= last, let found = memchr(base + offset, Int32(first), last - offset + 1) {
            offset = UnsafeRawPointer(found) - base
            if equal(text, at: offset, part) { return true }
            offset += 1
            bytesLeft -= part.count
            if bytesLeft < 0 {
                return containsInLinearTime(UnsafeRawBufferPointer(rebasing: text[offset...]), part)
            }
        }
        return false
    }

    /// Searches without examining any byte of the text twice (Knuth, Morris and Pratt, 1977).
    private static func containsInLinearTime(
        _ text: UnsafeRawBufferPointer, _ part: UnsafeRawBufferPointer
    ) -> Bool {
        // The length of the longest proper prefix of `part` that also ends at each byte.
        var borders = [0]
        var steps = 0
        var matched = 0
        for byte in part.dropFirst() {
            while matched > 0, part[matched] != byte {
                matched = borders[matched - 1]
                steps += 1
            }
            if part[matched] == byte { matched += 1 }
            borders.append(matched)
        }
        matched = 0
        var isFound = false
        for byte in text where !isFound {
            while matched > 0, part[matched] != byte {
                matched = borders[matched - 1]
                steps += 1
            }
            if part[matched] == byte { matched += 1 }
            isFound = matched == part.count
            steps += 1
        }
        StepCounter.report(part.count + steps)
        return isFound
    }
}

/// The values of a list for `IN`. Finding a value takes the same time for lists of any length.
///
/// Equality is that of ``ValueOrder/areEqual(_:_:)``, which is not transitive for numbers: a decimal is
/// compared with a double as a double, but with an integer exactly. Integers, doubles and decimals are
/// therefore stored separately, and a number is searched for in each set by the rule for that type.
struct ValueSet: Sendable {
    private var integers: Set<Int64> = []
    /// The bits of doubles, floats and dates.
    private var doubles: Set<UInt64> = []
    private var decimals: Set<String> = []
    /// The bits of ``decimals`` converted to doubles, for comparison with doubles.
    private var decimalsAsDoubles: Set<UInt64> = []
    /// All values that are not numbers. For these, `Hashable` equality is the same as that of predicates.
    private var others: Set<Value> = []

    init(_ values: [Value]) {
        for value in values { insert(value) }
    }

    private mutating func insert(_ value: Value) {
        switch Number(value) {
        case .integer(let integer)?: integers.insert(integer)
        case .double(let double)?: doubles.insert(Self.bits(double))
        case .decimal(let decimal)?:
            decimals.insert(Self.digits(decimal))
            decimalsAsDoubles.insert(Self.bits(Number.decimal(decimal).doubleValue))
        case nil: others.insert(value)
        }
    }

    package func contains(_ value: Value) -> Bool {
        switch Number(value) {
        case .integer(let integer)?:
            integers.contains(integer)
                || Double(exactly: integer).map { doubles.contains(Self.bits($0)) } ?? false
                || (!decimals.isEmpty && decimals.contains(Self.digits(Decimal(integer))))
        case .double(let double)?:
            doubles.contains(Self.bits(double)) || decimalsAsDoubles.contains(Self.bits(double))
                || Int64(exactly: double).map(integers.contains) ?? false
        case .decimal(let decimal)?:
            decimals.contains(Self.digits(decimal))
                || doubles.contains(Self.bits(Number.decimal(decimal).doubleValue))
                || Int64(exactly: decimal).map(integers.contains) ?? false
        case nil: others.contains(value)
        }
    }

    /// Returns the same bits for all doubles that are equal, including −0 and 0, and all NaNs.
    private static func bits(_ double: Double) -> UInt64 {
        double.isNaN ? Double.nan.bitPattern : double == 0 ? 0 : double.bitPattern
    }

    /// Returns the same string for all decimals that are equal, whatever their exponents.
    private static func digits(_ decimal: Decimal) -> String {
        var decimal = decimal
        NSDecimalCompact(&decimal)
        return decimal.isNaN ? "NaN" : decimal == 0 ? "0" : decimal.description
    }
}
