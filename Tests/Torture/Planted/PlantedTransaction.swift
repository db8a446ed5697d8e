import Cairn
import CairnStore

/// A save that is sound except for the defect planted in this process.
final class PlantedTransaction<Base: FileStore>: SaveTransaction {
    /// The sound save, or `nil` if it could not begin and the defect hides this.
    private let base: (any SaveTransaction)?
    private let store: PlantedStore<Base>
    private var prepared = SaveRequest()
    /// Whether an error was hidden.
    private var hasFailed: Bool
    /// The outcome of a premature commit.
    private var early: SaveOutcome?

    init(_ base: (any SaveTransaction)?, of store: PlantedStore<Base>) {
        self.base = base
        self.store = store
        hasFailed = base == nil
    }

    func reserveKeys(
        _ counts: [EntityNumber: Int]
    ) throws(StoreError) -> [EntityNumber: Range<Int64>] {
        try hidingFailure { () throws(StoreError) in try base?.reserveKeys(counts) }
            ?? counts.mapValues { 1_000_000..<1_000_000 + Int64($0) }
    }

    func prepare(_ request: SaveRequest) throws(StoreError) {
        prepared = request
        switch PlantedDefect.current {
        // The next save commits this one.
        case .acknowledgesEarly: return
        case .commitsTwice:
            var first = SaveRequest()
            first.inserted = request.inserted
            try base?.prepare(first)
        case .commitsBeforeJournal:
            try base?.prepare(request)
            early = try base?.commit()
        default: try hidingFailure { () throws(StoreError) in try base?.prepare(request) }
        }
    }

    func prepareNext(_ request: SaveRequest) throws(StoreError) -> RowBatch {
        guard let base else { return RowBatch() }
        switch PlantedDefect.current {
        // The next save commits the last request; the others are lost.
        case .acknowledgesEarly:
            prepared = request
            return RowBatch()
        case .namesRefusedSaves:
            do {
                return try base.prepareNext(request)
            } catch {
                var named = SaveRequest()
                named.id = request.id
                _ = try base.prepareNext(named)
                throw error
            }
        default: return try base.prepareNext(request)
        }
    }

    func discardLast() throws(StoreError) { try base?.discardLast() }

    func commit() throws(StoreError) -> SaveOutcome {
        if PlantedDefect.current == .acknowledgesEarly {
            store.owe(prepared)
            base?.rollback()
            return try outcome()
        }
        if let early { return early }
        let done = try hidingFailure { () throws(StoreError) in try base?.commit() }
        switch PlantedDefect.current {
        case .commitsTwice:
            var rest = prepared
            rest.inserted = RowBatch()
            try store.save(rest)
        case .writesInPlace: store.rewriteInPlace()
        case .renamesBlindly: store.renameCopyOverFile()
        default: break
        }
        if let done { return done }
        return try outcome()
    }

    func rollback() { base?.rollback() }

    private func outcome() throws(StoreError) -> SaveOutcome {
        SaveOutcome(generation: try store.base.newestGeneration())
    }

    /// Returns `nil` after an error that the defect hides.
    @discardableResult
    private func hidingFailure<Result>(
        _ body: () throws(StoreError) -> Result?
    ) throws(StoreError) -> Result? {
        if hasFailed { return nil }
        do {
            return try body()
        } catch {
            hasFailed = true
            base?.rollback()
            try store.noteFailure()
            if PlantedDefect.current == .savesHalf {
                try store.save(SaveRequest(inserted: prepared.inserted))
            }
            if store.acknowledgesFailures { return nil }
            throw error
        }
    }
}
