import CairnModel
import CairnRows
import Synchronization

/// An index of a ``StoreTable``: a sorted set of entries, each of which contains a row's key.
///
/// An index of attribute values, and every index of a table that has been loaded from a file, is not built
/// yet: it is `unmade`. The first use of an index builds it from the rows. All copies of the table that have
/// not changed since then share the built index. Changing the table does not build an unmade index, so a
/// program that never uses it pays nothing for it.
struct TableIndex<Entry: Comparable & Sendable>: Sendable {
    typealias Entries = SortedMap<Entry, Void>

    /// The entries, once they are built. Shared by all copies of a table in one state.
    private final class Making: Sendable {
        let entries = Mutex<Entries?>(nil)
    }

    /// The entries. Empty while ``making`` is not `nil`.
    private var made = Entries()
    /// `nil` if ``made`` has the entries. Two properties and not an enum with two cases, so that ``made`` changes
    /// in its own memory, and a save can ask whether another copy has the unbuilt index, too.
    private var making: Making?

    /// Creates an empty index.
    init() {}

    /// Returns an index that is built from the rows of its table when it is first used.
    static var unmade: TableIndex {
        var index = TableIndex()
        index.making = Making()
        return index
    }

    /// Returns the entries of the index, after building it if necessary.
    ///
    /// - Parameter build: reads the entries from the rows of the index's table.
    func entries(_ build: () -> Entries) -> Entries {
        guard let making else { return made }
        return making.entries.withLock { made in
            if let made { return made }
            let entries = build()
            made = entries
            return entries
        }
    }

    /// Changes the entries if the index is built. Otherwise the index stays unmade, and copies of the table
    /// in its old state may still build theirs.
    mutating func change(_ body: (inout Entries) -> Void) {
        if making != nil {
            guard let built = making?.entries.withLock({ $0 }) else { return keepUnmade() }
            made = built
            making = nil
        }
        body(&made)
    }

    /// A save changes many rows. Only the first of them separates the index from that of other copies.
    private mutating func keepUnmade() {
        if !isKnownUniquelyReferenced(&making) { making = Making() }
    }
}
