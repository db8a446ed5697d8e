import Synchronization

/// An index of a ``StoreTable``: pairs of a code and a row's key.
///
/// After a table is loaded from a file, its indexes are unmade. The first use of an index makes it
/// from the rows, for all copies of the table in that state. A change of the table leaves an unmade
/// index unmade, so that a program that only loads and saves never makes it.
struct TableIndex: Sendable {
    typealias Entries = SortedMap<KeyPair, Void>

    private enum State {
        case made(Entries)
        case unmade(Making)
    }

    /// What copies of a table in one state share.
    private final class Making: Sendable {
        let entries = Mutex<Entries?>(nil)
    }

    private var state: State

    /// An empty index.
    init() { state = .made(Entries()) }

    /// An index that is made from the rows of its table when it is used first.
    static var unmade: TableIndex { TableIndex(.unmade(Making())) }

    private init(_ state: State) { self.state = state }

    /// Returns the entries of the index, after making it if it is unmade.
    ///
    /// - Parameter pairs: reads the entries from the rows of the table that the index belongs to.
    func entries(_ pairs: () -> [KeyPair]) -> Entries {
        switch state {
        case .made(let entries): return entries
        case .unmade(let making):
            return making.entries.withLock { made in
                if let made { return made }
                let sorted = pairs().sorted()
                let entries = Entries(
                    count: sorted.count, key: { sorted[$0] }, value: { _ in () })
                made = entries
                return entries
            }
        }
    }

    /// Changes the entries if the index is made. Otherwise the index stays unmade, and no longer
    /// shares what copies of the table make from the old rows.
    mutating func change(_ body: (inout Entries) -> Void) {
        if case .unmade(let making) = state {
            guard let entries = making.entries.withLock({ $0 }) else {
                // Copies of the table in its old state may still make their index.
                state = .unmade(Making())
                return
            }
            state = .made(entries)
        }
        guard case .made(var entries) = state else { return }
        // No other value may share the chunks while they change, or they would be copied.
        state = .made(Entries())
        body(&entries)
        state = .made(entries)
    }
}
