import Synchronization

/// An index of a ``StoreTable``: pairs of a code and a row's key.
///
/// A table that was read from a file has its indexes unmade: the first question to one makes it
/// from the rows, for all copies of the table in that state. A change of a table whose index is
/// unmade leaves it unmade, so that a program which only loads and saves never pays for it.
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

    /// One that is made from the rows of its table when it is asked for.
    static var unmade: TableIndex { TableIndex(.unmade(Making())) }

    private init(_ state: State) { self.state = state }

    /// Returns what is in the index.
    ///
    /// - Parameter pairs: reads it from the rows of the table that the index is in.
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

    /// Changes what is in the index, where it is made; else notes that it is of other rows now.
    mutating func change(_ body: (inout Entries) -> Void) {
        if case .unmade(let making) = state {
            guard let entries = making.entries.withLock({ $0 }) else {
                // Copies of the table as it was may still make theirs.
                state = .unmade(Making())
                return
            }
            state = .made(entries)
        }
        guard case .made(var entries) = state else { return }
        // So that nobody shares the chunks while they change.
        state = .made(Entries())
        body(&entries)
        state = .made(entries)
    }
}
