import CairnCLMDB

/// A table of an open environment.
struct LMDBTable: Sendable, Hashable {
    let handle: MDB_dbi
    let name: String
    let form: LMDBTableForm

    /// While the environment is open, a handle always stands for the same table.
    static func == (left: LMDBTable, right: LMDBTable) -> Bool { left.handle == right.handle }

    func hash(into hasher: inout Hasher) { hasher.combine(handle) }
}

/// How a table orders its keys and values.
enum LMDBTableForm: Sendable, Hashable {
    /// Bytes → bytes, in byte order.
    case bytes
    /// i64 → bytes, in numeric order. The keys are not negative.
    case integers
    /// Bytes → any number of i64, in byte order and then in numeric order. The numbers are not
    /// negative.
    case index

    var flags: UInt32 {
        switch self {
        case .bytes: 0
        case .integers: UInt32(MDB_INTEGERKEY)
        case .index: UInt32(MDB_DUPSORT | MDB_DUPFIXED | MDB_INTEGERDUP)
        }
    }

    /// Returns a negative number, zero or a positive number, according to the order of two entries
    /// in a table of this form.
    @inline(__always) func order(
        _ left: LMDBCursor.Entry, _ right: LMDBCursor.Entry
    ) -> Int {
        let order = orderOfKeys(left.key, right.key)
        return order == 0 && self == .index ? Self.orderOfNumbers(left.value, right.value) : order
    }

    /// Returns a negative number, zero or a positive number, according to the order of two keys in
    /// a table of this form.
    @inline(__always) func orderOfKeys(
        _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer
    ) -> Int {
        self == .integers ? Self.orderOfNumbers(left, right) : KeyRange.order(left, right)
    }

    @inline(__always) private static func orderOfNumbers(
        _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer
    ) -> Int {
        guard left.count == 8, right.count == 8 else { return left.count - right.count }
        let (a, b) = (left.loadUnaligned(as: UInt64.self), right.loadUnaligned(as: UInt64.self))
        return a < b ? -1 : a == b ? 0 : 1
    }
}
