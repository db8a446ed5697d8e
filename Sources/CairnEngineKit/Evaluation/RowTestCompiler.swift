import CairnModel
import CairnRows
import CairnStore

/// A compiled condition on a packed row.
typealias RowTest = (Row) throws(StoreError) -> Bool

/// Compiles predicates for packed rows, to fast tests if possible and to general tests otherwise.
///
/// The type is not generic, because a closure that passes through a generic type takes its row by
/// address, which doubles its cost.
struct RowTestCompiler {
    let source: RowSource
    let general: PredicateCompiler<RowSource>
    let context: EvaluationContext<RowSource>
    let joins: SemiJoins

    func test(_ predicate: BoundPredicate) throws(FetchPredicateError) -> CompiledTest {
        switch predicate {
        case .constant(let flag): return .values(ValuesTest { _ in flag })
        case .not(let part):
            switch try test(part) {
            case .values(let test): return .values(ValuesTest { !test($0) })
            case .row(let test):
                return .row { (row: Row) throws(StoreError) in !(try test(row)) }
            }
        case .and(let parts): return try compound(parts, stop: false)
        case .or(let parts): return try compound(parts, stop: true)
        case .comparison(let comparison):
            if let join = joins[comparison] { return .values(join.test(source.layouts)) }
            if let fast = source.fastTest(comparison) { return fast }
            let (test, context) = (try general.test(predicate), context)
            return .row { (row: Row) throws(StoreError) in try test(row, context) }
        }
    }

    /// Returns a test that evaluates the parts in order, until one returns `stop`.
    private func compound(
        _ parts: [BoundPredicate], stop: Bool
    ) throws(FetchPredicateError) -> CompiledTest {
        var compiled: [CompiledTest] = []
        for part in parts { compiled.append(try test(part)) }
        let values = compiled.compactMap(\.valuesTest)
        if values.count == compiled.count { return .values(Self.compound(values, stop: stop)) }
        let tests = compiled.map(\.rowTest)
        return .row { (row: Row) throws(StoreError) in
            for test in tests where try test(row) == stop { return stop }
            return !stop
        }
    }

    private static func compound(_ tests: [ValuesTest], stop: Bool) -> ValuesTest {
        if tests.count == 2 {
            let (first, second) = (tests[0], tests[1])
            return ValuesTest { first($0) == stop ? stop : second($0) }
        }
        return ValuesTest { row in
            for test in tests where test(row) == stop { return stop }
            return !stop
        }
    }
}

/// A compiled predicate.
enum CompiledTest {
    case values(ValuesTest)
    /// A test that follows relationships or reads the object's ID.
    case row(RowTest)

    var rowTest: RowTest {
        switch self {
        case .values(let test): { (row: Row) throws(StoreError) in test(row.pointer) }
        case .row(let test): test
        }
    }

    var valuesTest: ValuesTest? {
        if case .values(let test) = self { test } else { nil }
    }
}

/// A condition on the row's own values. It never fails, and does not count references.
///
/// This is not a plain closure, because a closure is wrapped in a thunk for each optional, array or
/// generic call that it passes through. That made two comparisons cost three hundred instructions
/// for each row.
@frozen @usableFromInline package struct ValuesTest {
    @usableFromInline let holds: (RowPointer) -> Bool

    init(_ holds: @escaping (RowPointer) -> Bool) { self.holds = holds }

    /// A test that accepts every row. A loop that calls it instead of an optional test needs no
    /// reference counting.
    package static var always: ValuesTest { ValuesTest { _ in true } }

    @inlinable @inline(__always) package func callAsFunction(_ row: RowPointer) -> Bool {
        holds(row)
    }
}
