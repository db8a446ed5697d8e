import CairnStore

extension FlawedStore: HistoryStore {
    private func soundHistory() throws(StoreError) -> any HistoryStore {
        if let base = base as? any HistoryStore { return base }
        throw .historyUnavailable(request.location, .notTracked)
    }

    func newestHistoryPosition() throws(StoreError) -> HistoryPosition? {
        do {
            var newest = try soundHistory().newestHistoryPosition()
            if flaw.history == .recordsAttempts {
                newest?.number = begunCount.withLock { $0 }
            }
            return newest
        } catch {
            guard flaw.history == .answersWithoutHistory else { throw error }
            return nil
        }
    }

    func history(
        after position: HistoryPosition?, limit: Int
    ) throws(StoreError) -> [PersistentHistoryTransaction] {
        var found = try flawedHistory(after: position, limit: limit)
        if let recalled = flaw.recalled {
            for index in found.indices { recalled(&found[index]) }
        }
        switch flaw.history {
        case .endsWithTheHandle: found.removeAll { $0.position.number <= firstHistoryNumber }
        case .hidesOthers: found = Array(found.prefix(Int(begunCount.withLock { $0 })))
        default: break
        }
        return found
    }

    private func flawedHistory(
        after position: HistoryPosition?, limit: Int
    ) throws(StoreError) -> [PersistentHistoryTransaction] {
        let base = try soundHistory()
        do {
            let found = try base.history(after: position, limit: limit)
            guard let position else { return found }
            switch flaw.history {
            case .readsTooLate: return Array(found.dropFirst())
            case .readsTooEarly:
                let all = try base.history(after: nil, limit: .max)
                return all.filter { $0.position == position } + found
            default: return found
            }
        } catch .historyUnavailable(let location, let gap) {
            switch (flaw.history, gap) {
            case (.ignoresMarks, .anotherBranch), (.skipsPurged, .purged):
                let all = try base.history(after: nil, limit: .max)
                return all.filter { $0.position.number > position?.number ?? 0 }
            case (.answersWithoutHistory, .notTracked): return []
            default: throw .historyUnavailable(location, gap)
            }
        } catch {
            throw error
        }
    }

    func purgeHistory(before position: HistoryPosition) throws(StoreError) {
        let base = try soundHistory()
        var position = position
        switch flaw.history {
        case .purgesNothing: return
        case .purgesTooMuch:
            let later = try? base.history(after: position, limit: 1).first
            position = later?.position ?? position
        default: break
        }
        try base.purgeHistory(before: position)
    }

    func addHistory(_ transactions: [PersistentHistoryTransaction]) throws(StoreError) {
        let base = try soundHistory()
        switch flaw.history {
        case .addsNothing: return
        case .numbersAnew:
            var number = try base.newestHistoryPosition()?.number ?? 0
            let numbered = transactions.map { transaction in
                var transaction = transaction
                number += 1
                transaction.position.number = number
                return transaction
            }
            try base.addHistory(numbered)
        default: try base.addHistory(transactions)
        }
    }
}
