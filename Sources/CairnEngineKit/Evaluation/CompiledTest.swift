import CairnModel
import CairnRows
import CairnStore

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
