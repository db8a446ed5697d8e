import CairnModel

/// A compiled condition on a packed row.
typealias RowTest = (Row) throws(StoreError) -> Bool

/// Compiles predicates for packed rows: fast tests where there are some, else the general ones.
///
/// Not generic, because a closure that goes through a generic type takes its row by address and
/// costs twice as much.
struct RowTestCompiler {
    let source: RowSource
    let general: PredicateCompiler<RowSource>
    let context: EvaluationContext<RowSource>

    func test(_ predicate: BoundPredicate) throws(FetchPredicateError) -> RowTest {
        switch predicate {
        case .constant(let flag): return { (_: Row) throws(StoreError) in flag }
        case .not(let part):
            let test = try test(part)
            return { (row: Row) throws(StoreError) in !(try test(row)) }
        case .and(let parts): return try compound(parts, stop: false)
        case .or(let parts): return try compound(parts, stop: true)
        case .comparison(let comparison):
            if let fast = source.fastTest(comparison) { return fast }
            let (test, context) = (try general.test(predicate), context)
            return { (row: Row) throws(StoreError) in try test(row, context) }
        }
    }

    /// All parts in order, until one answers `stop`.
    private func compound(
        _ parts: [BoundPredicate], stop: Bool
    ) throws(FetchPredicateError) -> RowTest {
        var tests: [RowTest] = []
        for part in parts { tests.append(try test(part)) }
        if tests.count == 2 {
            let (first, second) = (tests[0], tests[1])
            return { (row: Row) throws(StoreError) in
                if try first(row) == stop { return stop }
                return try second(row)
            }
        }
        return { [tests] (row: Row) throws(StoreError) in
            for test in tests where try test(row) == stop { return stop }
            return !stop
        }
    }
}
