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

    private enum State {
        case made(Entries)
        case unmade(Making)
    }

    /// The entries, once they are built. Shared by all copies of a table in one state.
    private final class Making: Sendable {
        let entries = Mutex<Entries?>(nil)
    }

    private var state: State

    /// Creates an empty index.
    init() { state = .made(Entries()) }

    /// Returns an index that is built from the rows of its table when it is first used.
    static var unmade: TableIndex { TableIndex(.unmade(Making())) }

    private init(_ state: State) { self.state = state }

    /// Returns the entries of the index, after building it if necessary.
    ///
    /// - Parameter sorted: reads the entries from the rows of the index's table, and sorts them.
    func entries(_ sorted: () -> [Entry]) -> Entries {
        switch state {
        case .made(let entries): return entries
        case .unmade(let making):
            return making.entries.withLock { made in
                if let made { return made }
                let sorted = sorted()
                let entries = Entries(
                    count: sorted.count, key: { sorted[$0] }, value: { _ in () })
                made = entries
                return entries
            }
        }
    }

    /// Changes the entries if the index is built. Otherwise the index stays unmade. It is then no longer
    /// shared with copies of the table that have the old rows.
    mutating func change(_ body: (inout Entries) -> Void) {
        if case .unmade(let making) = state {
            guard let entries = making.entries.withLock({ $0 }) else {
                // Copies of the table in its old state may still build their index.
                state = .unmade(Making())
                return
            }
            state = .made(entries)
        }
        guard case .made(var entries) = state else { return }
        // Drop the other reference to the entries first. Otherwise the chunks that change would be copied.
        state = .made(Entries())
        body(&entries)
        state = .made(entries)
    }
}
