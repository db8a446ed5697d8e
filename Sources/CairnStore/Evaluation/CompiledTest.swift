import CairnModel

/// What a predicate is compiled to.
enum CompiledTest {
    case values(ValuesTest)
    /// Follows relationships, or asks for the object's identity.
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
