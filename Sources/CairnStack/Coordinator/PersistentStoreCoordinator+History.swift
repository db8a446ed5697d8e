import CairnStore
import CairnThreads
import Foundation

/// The histories of the coordinator's stores: what each save changed, when, and by whom.
///
/// A store keeps a history if it is added with ``StoreOption/tracksHistory``. The calls read the stores
/// that keep one, unless the caller names stores.
extension PersistentStoreCoordinator {
    /// Returns the token of the newest transactions. Returns `nil` if no store has one.
    ///
    /// - Parameter stores: The stores. `nil` means all stores that keep a history.
    /// - Throws: `.unknownStore`; `.store`, with `.historyUnavailable` if a named store, or every store,
    ///   keeps no history.
    public func currentPersistentHistoryToken(
        fromStores stores: [any PersistentStore]? = nil
    ) throws(GraphError) -> PersistentHistoryToken? {
        var token = PersistentHistoryToken()
        for attached in try storesWithHistory(stores) {
            token.positions[attached.identifier] = try attached.withHistory {
                store throws(StoreError) in
                try store.newestHistoryPosition()
            }
        }
        return token.isEmpty ? nil : token
    }

    /// Returns the transactions after a token, the oldest first. Transactions of several stores are
    /// sorted by their times; those of one store are always in the order of its saves.
    ///
    /// Objects that are read afterwards have their values after these transactions, or newer ones.
    ///
    /// The token of the last transaction (``PersistentHistoryTransaction/token``) covers all that were
    /// returned. Pass it to the next call. All returned transactions are in memory, so read a long
    /// history with a limit.
    ///
    /// - Parameters:
    ///   - token: The token to read after. Stores that it does not cover are read from the oldest
    ///     transaction that they have. `nil` means all stores.
    ///   - limit: The maximum number of transactions, at least 1.
    ///   - stores: The stores. `nil` means all stores that keep a history.
    /// - Throws: `.unknownStore`; `.store`, with `.historyUnavailable` if a named store, or every store,
    ///   keeps no history, if transactions after the token were removed, or if the token does not belong
    ///   to the history of one of the stores.
    public func history(
        after token: PersistentHistoryToken? = nil, limit: Int = .max,
        fromStores stores: [any PersistentStore]? = nil
    ) throws(GraphError) -> [PersistentHistoryTransaction] {
        var token = token ?? PersistentHistoryToken()
        var parts: [ArraySlice<PersistentHistoryTransaction>] = []
        for attached in try storesWithHistory(stores) {
            let position = token.positions[attached.identifier]
            let part = try attached.withHistory { store throws(StoreError) in
                let part = try store.history(after: position, limit: limit)
                // The row cache may have older rows of what other programs have changed.
                if !part.isEmpty { _ = try attached.newestGeneration() }
                return part
            }
            parts.append(part[...])
        }
        if parts.count == 1, token.positions.keys.allSatisfy({ $0 == parts[0].first?.storeID }) {
            return Array(parts[0])
        }
        var merged: [PersistentHistoryTransaction] = []
        while merged.count < limit, var next = Self.takeOldest(from: &parts) {
            token.positions[next.storeID] = next.position
            next.positionsOfOtherStores = token.positions
            merged.append(next)
        }
        return merged
    }

    /// Removes and returns the oldest of the first transactions of several stores.
    private static func takeOldest(
        from parts: inout [ArraySlice<PersistentHistoryTransaction>]
    ) -> PersistentHistoryTransaction? {
        let oldest = parts.indices.filter { !parts[$0].isEmpty }.min {
            parts[$0].first?.timestamp ?? .distantFuture < parts[$1].first?.timestamp
                ?? .distantFuture
        }
        return oldest.flatMap { parts[$0].popFirst() }
    }

    /// Registers a follower of the histories by name, or records how far a registered one has read. The
    /// stores keep the token, so that any program can continue with it.
    ///
    /// A purge keeps the transactions after the token, but at most the newest 100,000 of each store. Beyond
    /// that, the token cannot be used any more, as ``history(after:limit:fromStores:)`` reports. Stores whose
    /// content is in memory (XML, Binary, InMemory) also forget transactions that a follower has not read when
    /// they have too many changes. Call this method after every few transactions, because it saves to
    /// each store whose position differs.
    ///
    /// - Parameters:
    ///   - token: The token of the last transaction that the follower has handled. `nil` removes the follower.
    ///     Nothing is kept in stores that the token does not cover.
    ///   - name: The name of the follower. Names that are equal in several programs mean one follower.
    /// - Throws: `.store`, such as `.readOnly`, `.busy`, or `.historyUnavailable` if no store keeps a history.
    public func setHistoryToken(
        _ token: PersistentHistoryToken?, ofFollower name: String
    ) throws(GraphError) {
        for attached in try storesWithHistory(nil) {
            let position = token?.positions[attached.identifier]
            if try followers(of: attached).positions[name] == position { continue }
            try saveMetadata(of: attached) { metadata in
                var followers = HistoryFollowers(metadata)
                followers.positions[name] = position
                return [HistoryFollowers.metadataName: followers.value]
            }
        }
    }

    /// Returns the token that a follower was registered with last. Returns `nil` if no store has a follower
    /// with the name.
    ///
    /// - Throws: `.store`, with `.historyUnavailable` if no store keeps a history.
    public func historyToken(ofFollower name: String) throws(GraphError) -> PersistentHistoryToken?
    {
        var token = PersistentHistoryToken()
        for attached in try storesWithHistory(nil) {
            token.positions[attached.identifier] = try followers(of: attached).positions[name]
        }
        return token.isEmpty ? nil : token
    }

    private func followers(of attached: AttachedStore) throws(GraphError) -> HistoryFollowers {
        try attached.withHistory { store throws(StoreError) in
            HistoryFollowers(try store.metadata())
        }
    }

    /// Removes the transactions before a token. The transactions at the token stay, so that the
    /// histories can still be read from there. Stores that the token does not cover stay as they are.
    /// Transactions that a registered follower has not read stay as well
    /// (``setHistoryToken(_:ofFollower:)``).
    ///
    /// - Throws: The errors of ``history(after:limit:fromStores:)``, and those of saving.
    public func deleteHistory(
        before token: PersistentHistoryToken, fromStores stores: [any PersistentStore]? = nil
    ) throws(GraphError) {
        for attached in try storesWithHistory(stores) {
            guard let position = token.positions[attached.identifier] else { continue }
            try attached.withHistory { store throws(StoreError) in
                try store.purgeButForFollowers(before: position)
            }
        }
    }

    /// Removes the transactions before a time. The newest transaction of each store stays, even if it is
    /// older, and so do those that a registered follower has not read.
    ///
    /// - Throws: The errors of ``history(after:limit:fromStores:)``, and those of saving.
    public func deleteHistory(
        before date: Date, fromStores stores: [any PersistentStore]? = nil
    ) throws(GraphError) {
        for attached in try storesWithHistory(stores) {
            try attached.withHistory { store throws(StoreError) in
                try store.purge { $0.timestamp >= date }
            }
        }
    }

    /// - Throws: `.unknownStore`; `.store(.historyUnavailable)`.
    private func storesWithHistory(
        _ stores: [any PersistentStore]?
    ) throws(GraphError) -> [AttachedStore] {
        if let stores {
            return try stores.map { (store) throws(GraphError) in try attached(store) }
        }
        let all = attachedStores
        let found = all.filter(\.keepsHistory)
        guard found.isEmpty, let first = all.first else { return found }
        throw .store(.historyUnavailable(first.location, .notTracked))
    }
}

extension HistoryStore {
    /// Removes the transactions before a position, except for those that a follower has not read.
    fileprivate func purgeButForFollowers(before position: HistoryPosition) throws(StoreError) {
        try purgeHistory(before: HistoryFollowers(try metadata()).limited(position, in: self))
    }

    /// Removes the oldest transactions, up to the first that is to be kept, or up to the newest one.
    fileprivate func purge(
        upTo isKept: (PersistentHistoryTransaction) -> Bool
    ) throws(StoreError) {
        var first: HistoryPosition?
        while true {
            let page: [PersistentHistoryTransaction]
            do {
                page = try history(after: first, limit: 100)
            } catch .historyUnavailable(_, .purged) where first != nil {
                // Somebody else purges, too.
                first = nil
                continue
            } catch {
                throw error
            }
            let kept = page.first(where: isKept)
            first = kept?.position ?? page.last?.position ?? first
            if kept != nil || page.isEmpty { break }
        }
        if let first { try purgeButForFollowers(before: first) }
    }
}

extension AttachedStore {
    /// Purges the history according to the store's options. If that fails, for example because another
    /// process saves for a long time, it is left to the next time.
    func purgeHistoryBeyondLimits() {
        guard let historyLimits, let store = store as? any HistoryStore,
            let newest = try? store.newestHistoryPosition()
        else { return }
        TurnExecutor.whileWaiting {
            try? store.purge { historyLimits.includes($0, newest: newest) }
        }
    }

    /// Counts a save of the coordinator, and purges the history from time to time.
    func noteSaveForHistoryLimits() {
        guard historyLimits != nil else { return }
        let count = saveCount.add(1, ordering: .relaxed).newValue
        if count.isMultiple(of: HistoryLimits.savesBetweenPurges) { purgeHistoryBeyondLimits() }
    }
}

extension AttachedStore {
    /// Whether the store keeps a history. `true` if the store cannot be asked, so that the call that
    /// needs the history reports why.
    fileprivate var keepsHistory: Bool {
        guard let store = store as? any HistoryStore else { return false }
        do {
            _ = try store.newestHistoryPosition()
            return true
        } catch .historyUnavailable(_, .notTracked) {
            return false
        } catch {
            return true
        }
    }

    /// Calls a closure with the store, after interrupted saves to several stores have been finished,
    /// which add their transactions.
    ///
    /// - Throws: `.store`.
    fileprivate func withHistory<Result>(
        _ body: (any HistoryStore) throws(StoreError) -> Result
    ) throws(GraphError) -> Result {
        do {
            return try TurnExecutor.whileWaiting { () throws(StoreError) in
                while unfinishedSaves.mayConcernReaders, try unfinishedSaves.finishBeforeReading() {
                }
                guard let store = store as? any HistoryStore else {
                    throw .historyUnavailable(location, .notTracked)
                }
                return try body(store)
            }
        } catch {
            throw GraphError(ofStore: error)
        }
    }
}
