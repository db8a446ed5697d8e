import Cairn
import Synchronization

/// The number of writes to each account that the server has acknowledged.
public final class Ledger: Sendable {
    /// An account whose stored writes differ from the acknowledged ones.
    public struct Mismatch: Sendable, Hashable, Codable {
        /// The account's number.
        public let account: Int64
        /// The number of writes that the server acknowledged.
        public let acknowledged: Int64
        /// The number of stored writes, or `nil` if the account does not exist.
        public let stored: Int64?
    }

    private let writes: Mutex<[Int64]>

    /// Creates a ledger.
    ///
    /// - Parameter accounts: The number of accounts, which are numbered from 0.
    public init(accounts: Int64) { writes = Mutex([Int64](repeating: 0, count: Int(accounts))) }

    /// Records that the server acknowledged a write.
    public func note(_ account: Int64) { writes.withLock { $0[Int(account)] += 1 } }

    /// Returns the accounts for which the store contains more or fewer writes than were acknowledged.
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
