import CairnModel
import CairnRows
import CairnStore
import Foundation

/// Tests that compare a row's own value with constants, without creating a ``CairnModel/Value``.
///
/// Each of them must return the same result as the general test. A test with random predicates
/// compares the two.
extension RowSource {
    /// Returns a fast test for a comparison, or `nil` if the comparison has another form.
    func fastTest(_ comparison: BoundComparison) -> CompiledTest? {
        guard comparison.modifier == .direct, case .path(let path) = comparison.left,
            path.start == .evaluatedObject,
            path.collectionOperator == nil
        else { return nil }
        switch (path.leaf, path.relationships.count) {
        case (.attribute(let attribute), 0):
            let slots = SlotTable(attribute.entity, slot: attribute.rowSlot, layouts)
            return attributeTest(attribute, slots, comparison).map(CompiledTest.values)
        case (.object, 0): return selfTest(comparison).map(CompiledTest.row)
        case (.object, 1) where !path.isToMany: return referenceTest(path, comparison)
        default: return nil
        }
    }

    private func attributeTest(
        _ attribute: Attribute, _ slots: SlotTable, _ comparison: BoundComparison
    ) -> ValuesTest? {
        switch comparison.right {
        case .constant(.null): return nullTest(slots, comparison.operator)
        case .constant(let value):
            return scalarTest(attribute.type, slots, comparison.operator, value)
                ?? textTest(slots, comparison, value)
        case .list(let items):
            guard let values = items.constants else { return nil }
            return listTest(attribute.type, slots, comparison, values)
        default: return nil
        }
    }

    private func nullTest(
        _ slots: SlotTable, _ word: PredicateComparison.Operator
    ) -> ValuesTest? {
        guard word == .equal || word == .notEqual else { return nil }
        let wanted = word == .equal
        return ValuesTest { row in
            guard let slot = slots.slot(for: row) else { return wanted }
            return row.isNull(slot) == wanted
        }
    }

    // MARK: Fixed values

    private func scalarTest(
        _ type: AttributeType, _ slots: SlotTable, _ word: PredicateComparison.Operator,
        _ value: Value
    ) -> ValuesTest? {
        switch (type, value) {
        case (.integer16, .integer(let value)):
            test(Int16.self, slots, word, UInt64(bitPattern: value))
        case (.integer32, .integer(let value)):
            test(Int32.self, slots, word, UInt64(bitPattern: value))
        case (.integer64, .integer(let value)):
            test(Int64.self, slots, word, UInt64(bitPattern: value))
        case (.boolean, .boolean(let flag)): test(Bool.self, slots, word, flag ? 1 : 0)
        case (.double, .double(let value)):
            test(Double.self, slots, word, SortPart.ordered(value))
        case (.date, .date(let date)):
            test(Double.self, slots, word, SortPart.ordered(date.timeIntervalSinceReferenceDate))
        case (.float, .float(let value)):
            test(Float.self, slots, word, SortPart.ordered(Double(value)))
        default: nil
        }
    }

    private func test<Scalar: ScalarSlot>(
        _ type: Scalar.Type, _ slots: SlotTable, _ word: PredicateComparison.Operator,
        _ constant: UInt64
    ) -> ValuesTest? {
        let (lowest, highest) = (Scalar.lowest, Scalar.lowest &- 1)
        switch word {
        case .equal: return test(type, slots, from: constant, through: constant)
        // The range that begins after the constant and ends before it: everything else.
        case .notEqual:
            return test(type, slots, from: constant &+ 1, through: constant &- 1, ofNull: true)
        case .lessThan where constant == lowest, .greaterThan where constant == highest:
            return ValuesTest { _ in false }
        case .lessThan: return test(type, slots, from: lowest, through: constant &- 1)
        case .lessThanOrEqual: return test(type, slots, from: lowest, through: constant)
        case .greaterThan: return test(type, slots, from: constant &+ 1, through: highest)
        case .greaterThanOrEqual: return test(type, slots, from: constant, through: highest)
        default: return nil
        }
    }

    /// Returns a test whether a number is in a range, which may go on from the highest number to
    /// the lowest.
    ///
    /// - Parameter ofNull: what the test returns for a value that is `nil`.
    ///
    /// Generic over the type: loading through a closure would cost a call and a retain.
    private func test<Scalar: ScalarSlot>(
        _ type: Scalar.Type, _ slots: SlotTable, from low: UInt64, through high: UInt64,
        ofNull: Bool = false
    ) -> ValuesTest {
        // The difference from the lower bound is one comparison for both signed and unsigned numbers.
        let span = high &- low
        if let (entity, slot) = slots.only {
            return ValuesTest { row in
                guard row.entity == entity, !row.isNull(slot) else { return ofNull }
                return Scalar.load(row, slot) &- low <= span
            }
        }
        return ValuesTest { row in
            guard let slot = slots.slot(for: row), !row.isNull(slot) else { return ofNull }
            return Scalar.load(row, slot) &- low <= span
        }
    }

    // MARK: Lists

    private func listTest(
        _ type: AttributeType, _ slots: SlotTable, _ comparison: BoundComparison,
        _ values: [Value]
    ) -> ValuesTest? {
        if comparison.operator == .between, values.count == 2,
            let low = scalarTest(type, slots, .greaterThanOrEqual, values[0]),
            let high = scalarTest(type, slots, .lessThanOrEqual, values[1])
        {
            return ValuesTest { low($0) && high($0) }
        }
        guard comparison.operator == .in else { return nil }
        let holdsNull = values.contains(where: \.isNull)
        let present = values.filter { !$0.isNull }
        if type.isInteger {
            let wanted = Set(
                present.compactMap { if case .integer(let it) = $0 { it } else { nil } })
            guard wanted.count == Set(present).count else { return nil }
            return ValuesTest { row in
                guard let slot = slots.slot(for: row), !row.isNull(slot) else { return holdsNull }
                return wanted.contains(row.integer(slot))
            }
        }
        guard type == .string, comparison.options.isEmpty else { return nil }
        return textListTest(slots, present, holdsNull)
    }

    private func textListTest(
        _ slots: SlotTable, _ values: [Value], _ holdsNull: Bool
    ) -> ValuesTest {
        let texts = values.compactMap {
            if case .string(let it) = $0 { Array(it.utf8) } else { nil }
        }
        let sorted = texts.sorted { $0.lexicographicallyPrecedes($1) }
        return ValuesTest { row in
            guard let slot = slots.slot(for: row), !row.isNull(slot) else { return holdsNull }
            let bytes = row.unsafeBytes(slot)
            var (low, high) = (0, sorted.count)
            while low < high {
                let middle = (low + high) / 2
                let order = sorted[middle].withUnsafeBytes { PredicateText.order($0, bytes) }
                if order == 0 { return true }
                if order < 0 { low = middle + 1 } else { high = middle }
            }
            return false
        }
    }

    // MARK: Objects

    private func selfTest(_ comparison: BoundComparison) -> RowTest? {
        switch (comparison.operator, comparison.right) {
        case (.equal, .constant(.objectID(let id))):
            return { (row: Row) throws(StoreError) in row.id == id }
        case (.notEqual, .constant(.objectID(let id))):
            return { (row: Row) throws(StoreError) in row.id != id }
        case (.lessThan, .constant(.objectID(let id))),
            (.lessThanOrEqual, .constant(.objectID(let id))),
            (.greaterThan, .constant(.objectID(let id))),
            (.greaterThanOrEqual, .constant(.objectID(let id))):
            let word = comparison.operator
            return { (row: Row) throws(StoreError) in
                word.holds(forOrder: ValueOrder.order(row.id, id))
            }
        case (.in, .list(let items)):
            guard let ids = Self.objectIDs(items) else { return nil }
            return { (row: Row) throws(StoreError) in ids.contains(row.id) }
        default: return nil
        }
    }

    private func referenceTest(
        _ path: BoundPath, _ comparison: BoundComparison
    ) -> CompiledTest? {
        guard let relationship = path.relationships.first else { return nil }
        let slots = SlotTable(relationship.entity, slot: relationship.rowSlot, layouts)
        let isEqual = comparison.operator == .equal
        switch (comparison.operator, comparison.right) {
        case (.equal, .constant(.null)), (.notEqual, .constant(.null)):
            return nullTest(slots, comparison.operator).map(CompiledTest.values)
        case (.equal, .constant(.objectID(let id))), (.notEqual, .constant(.objectID(let id))):
            return .row { (row: Row) throws(StoreError) in
                guard let slot = slots.slot(for: row.pointer), !row.isNull(slot) else {
                    return !isEqual
                }
                return (row.objectID(slot) == id) == isEqual
            }
        case (.in, .list(let items)):
            guard let ids = Self.objectIDs(items) else { return nil }
            return .row { (row: Row) throws(StoreError) in
                guard let slot = slots.slot(for: row.pointer), !row.isNull(slot) else {
                    return false
                }
                return ids.contains(row.objectID(slot))
            }
        default: return nil
        }
    }

    /// Returns `nil` if the list contains anything but object IDs.
    private static func objectIDs(_ items: [BoundExpression]) -> Set<ObjectID>? {
        var ids: Set<ObjectID> = []
        for item in items {
            guard case .constant(.objectID(let id)) = item else { return nil }
            ids.insert(id)
        }
        return ids
    }
}

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
