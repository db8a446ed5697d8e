import CairnMemory
import CairnModel
import CairnStore
import Foundation
import Synchronization

/// How an ``OptimisticStore`` treats a save whose rows other saves have changed meanwhile.
package protocol OvertakenSaves {
    static var type: StoreType { get }
    static func settle(_ request: inout SaveRequest, in store: any PersistentStore)
        throws(StoreError)
    static var checksReferences: Bool { get }
    /// Whether the engine claims that its stores save in parallel and can be read during a save.
    static var isOpenDuringSaves: Bool { get }
}

extension OvertakenSaves {
    package static var checksReferences: Bool { true }
    package static var isOpenDuringSaves: Bool { true }
    package static func settle(_: inout SaveRequest, in _: any PersistentStore) {}
}

/// Leaves such a save as it is, so that its commit fails.
package enum RefusesOvertaken: OvertakenSaves {
    package static let type: StoreType = "Optimistic"
}

/// Like ``RefusesOvertaken``, but without the claim that the store can be read during a save.
package enum KeepsReadersOut: OvertakenSaves {
    package static let type: StoreType = "Exclusive"
    package static let isOpenDuringSaves = false
}

/// Like ``KeepsReadersOut``, but leaves references to a coordinator that cannot check them.
enum LeavesReferences: OvertakenSaves {
    static let type: StoreType = "Leaving"
    static let checksReferences = false
    static let isOpenDuringSaves = false
}

/// Rebases the changes onto the rows that are stored now, so that the last save wins.
enum OverwritesOthers: OvertakenSaves {
    static let type: StoreType = "Overwriting"
    static func settle(
        _ request: inout SaveRequest, in store: any PersistentStore
    ) throws(StoreError) {
        try Flaw.takeStoredVersions(&request, Packing(store: store))
    }
}

/// Refuses changes of the same row, but lets a save break references together with an earlier one.
enum BreaksReferences: OvertakenSaves {
    static let type: StoreType = "Breaking"
    static let checksReferences = false
}

/// An in-memory store in which saves do not wait for each other. A save keeps its request until the commit,
/// which checks it.
package final class OptimisticStore<Overtaken: OvertakenSaves>: PersistentStore {
    package static var type: StoreType { Overtaken.type }
    package static var capabilities: StoreCapabilities {
        StoreCapabilities(
            isDurable: false, readsDuringSave: Overtaken.isOpenDuringSaves, isShared: false,
            savesInParallel: Overtaken.isOpenDuringSaves, namedSaves: .remembered,
            options: [.timeout])
    }

    private let base: InMemoryStore
    private struct State {
        var answerCount = 0
        /// The names of saves that were reported as not saved, each with the number of that report.
        var refused: [SaveID: Int] = [:]
    }
    /// Locked while a save is committed or its outcome is reported.
    private let state = Mutex(State())

    private init(_ base: InMemoryStore) { self.base = base }

    package static func metadata(at location: StoreLocation) throws(StoreError) -> StoreMetadata {
        throw .notFound(location)
    }
    package static func model(
        at location: StoreLocation
    ) throws(StoreError) -> ModelDescription? { throw .notFound(location) }
    package static func recognizes(_ location: StoreLocation) -> Bool { false }
    package static func companionFiles(of location: StoreLocation) -> [StoreFile] { [] }
    package static func open(_ request: OpenRequest) throws(StoreError) -> OptimisticStore {
        try request.options.requireKnown(capabilities.options, by: "a store of type \(type)")
        return OptimisticStore(try InMemoryStore.open(request))
    }

    package var number: StoreNumber { base.number }
    package var request: OpenRequest { base.request }
    package func metadata() throws(StoreError) -> StoreMetadata {
        var metadata = try base.metadata()
        metadata.type = Self.type
        return metadata
    }
    package func snapshot() throws(StoreError) -> any StoreSnapshot { try base.snapshot() }
    package func byteCount() throws(StoreError) -> Int? { try base.byteCount() }
    package func close() throws(StoreError) { try base.close() }

    package func beginSave() throws(StoreError) -> any SaveTransaction {
        _ = try base.newestGeneration()
        return Transaction(self, answerCount: state.withLock { $0.answerCount })
    }

    package func reserveKeys(
        _ counts: [EntityNumber: Int]
    ) throws(StoreError) -> [EntityNumber: Range<Int64>]? {
        let save = try base.beginSave()
        defer { save.rollback() }
        return try save.reserveKeys(counts)
    }

    /// Returns the outcome of a save. A save that is reported as not saved can no longer be committed.
    package func outcome(of id: SaveID) throws(StoreError) -> CommitOutcome {
        try state.withLock { (state) throws(StoreError) in
            let outcome = try base.outcome(of: id)
            state.answerCount += 1
            if outcome == .notSaved { state.refused[id] = state.answerCount }
            return outcome
        }
    }

    private func commit(
        _ request: SaveRequest, begunAfter answerCount: Int
    ) throws(StoreError) -> SaveOutcome {
        try state.withLock { (state) throws(StoreError) in
            if let id = request.id, let refused = state.refused[id], refused > answerCount {
                throw failure("commit", "it was said not to be saved")
            }
            var request = request
            try Overtaken.settle(&request, in: base)
            let save = try base.beginSave()
            defer { save.rollback() }
            try prepare(request, in: save)
            return try save.commit()
        }
    }

    /// Prepares a save of the base store. References are checked after rows, and before unique values.
    private func prepare(
        _ request: SaveRequest, in save: any SaveTransaction
    ) throws(StoreError) {
        let clashes: StoreError?
        do {
            try save.prepare(request)
            clashes = nil
        } catch {
            guard case .uniquenessConflicts = error else { throw error }
            clashes = error
        }
        if Overtaken.checksReferences {
            let broken = try ReferenceCheck.conflicts(of: request, in: base)
            if !broken.isEmpty { throw .referenceConflicts(broken) }
        }
        if let clashes { throw clashes }
    }

    private func failure(_ operation: String, _ message: String) -> StoreError {
        .engineFailure(
            EngineFailure(
                type: Self.type, location: request.location, operation: operation, code: 0,
                message: message))
    }

    private final class Transaction: SaveTransaction {
        private let store: OptimisticStore
        private let answerCount: Int
        private var prepared: SaveRequest?
        private var isUsable = true
        private var hasEnded = false
        /// The save of the base store that keeps others waiting.
        private var exclusive: (any SaveTransaction)?

        init(_ store: OptimisticStore, answerCount: Int) {
            self.store = store
            self.answerCount = answerCount
        }

        func reserveKeys(
            _ counts: [EntityNumber: Int]
        ) throws(StoreError) -> [EntityNumber: Range<Int64>] {
            if hasEnded { throw store.failure("reserve keys", "the save has ended") }
            return try store.reserveKeys(counts) ?? [:]
        }

        func keepOthersWaiting() throws(StoreError) {
            if hasEnded { throw store.failure("keep others waiting", "the save has ended") }
            exclusive = try store.base.beginSave()
        }

        func prepare(_ request: SaveRequest) throws(StoreError) {
            if hasEnded || !isUsable { throw store.failure("prepare", "the save has ended") }
            if prepared != nil { throw store.failure("prepare", "it was prepared before") }
            isUsable = false
            if let exclusive {
                try store.prepare(request, in: exclusive)
            } else {
                let save = try store.base.beginSave()
                defer { save.rollback() }
                try store.prepare(request, in: save)
            }
            isUsable = true
            prepared = request
        }

        func commit() throws(StoreError) -> SaveOutcome {
            guard let prepared, !hasEnded else {
                throw store.failure("commit", "nothing is prepared")
            }
            hasEnded = true
            if let exclusive { return try exclusive.commit() }
            return try store.commit(prepared, begunAfter: answerCount)
        }

        func rollback() {
            hasEnded = true
            exclusive?.rollback()
        }
    }
}
