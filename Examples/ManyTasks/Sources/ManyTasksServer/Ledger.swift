import Cairn
import Synchronization

/// How many writes of each account the server has acknowledged.
public final class Ledger: Sendable {
    /// An account whose stored writes are not those that were acknowledged.
    public struct Mismatch: Sendable, Hashable, Codable {
        /// The account's number.
        public let account: Int64
        /// How many writes the server acknowledged.
        public let acknowledged: Int64
        /// How many are stored, or `nil` if there is no such account.
        public let stored: Int64?
    }

    private let writes: Mutex<[Int64]>

    /// - Parameter accounts: how many there are, numbered from 0.
    public init(accounts: Int64) { writes = Mutex([Int64](repeating: 0, count: Int(accounts))) }

    /// Notes that the server acknowledged a write.
    public func note(_ account: Int64) { writes.withLock { $0[Int(account)] += 1 } }

    /// Returns the accounts that have more or fewer writes in the store than were acknowledged.
    public func mismatches(in container: PersistentContainer) async throws -> [Mismatch] {
        let stored = try await container.performBackgroundTask { context in
            let accounts: [Account] = try context.fetch(FetchRequest<Account>())
            return Dictionary(accounts.map { ($0.number, $0.writes) }) { $0 + $1 }
        }
        return writes.withLock { $0 }.enumerated().compactMap { index, acknowledged in
            let (account, found) = (Int64(index), stored[Int64(index)])
            guard found != acknowledged else { return nil }
            return Mismatch(account: account, acknowledged: acknowledged, stored: found)
        }
    }
}
