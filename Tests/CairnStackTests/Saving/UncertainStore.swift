import CairnMemory
import CairnModel
import CairnStore
import Foundation
import StackSupport
import Synchronization

/// The failures of an ``UncertainStore``'s saves, and the calls that the store received.
final class Uncertainty: Sendable {
    static let option: StoreOption = "uncertainty"
    private static let all = Mutex<[String: Uncertainty]>([:])

    /// How a commit ends.
    enum CommitEnd: Sendable {
        case succeeds
        /// The save succeeds, but its answer is lost.
        case losesAnswer
        /// The request is lost on the way to the store.
        case losesRequest
        case fails(isTransient: Bool)
        /// Another save stored the same unique value after this save was prepared.
        case clashes
    }

    struct State {
        /// How the next commits end. Commits after these succeed.
        var commits: [CommitEnd] = []
        /// The number of calls to begin a save that fail with a transient error.
        var failingBegins = 0
        /// The number of queries for an outcome that fail with a transient error.
        var failingQuestions = 0
        /// Whether a lost request or answer is reported as a transient error.
        var isTransient = true
        var hasForgotten = false
        var names: [SaveID?] = []
        var beginCount = 0
        var commitCount = 0
        var questionCount = 0
    }

    let name = UUID().uuidString
    let state: Mutex<State>

    init(_ change: (inout State) -> Void = { _ in }) {
        var state = State()
        change(&state)
        self.state = Mutex(state)
        Self.all.withLock { $0[name] = self }
    }

    static func named(_ value: MetadataValue?) -> Uncertainty? {
        guard case .string(let name)? = value else { return nil }
        return all.withLock { $0[name] }
    }

    var now: State { state.withLock { $0 } }
}

/// How an ``UncertainStore`` treats the names of saves.
protocol NamePolicy {
    static var type: StoreType { get }
    static var namedSaves: StoreCapabilities.NamedSaves { get }
}

enum WantsNames: NamePolicy {
    static let type: StoreType = "WantsNames"
    static let namedSaves = StoreCapabilities.NamedSaves.wanted
}

enum RemembersNames: NamePolicy {
    static let type: StoreType = "RemembersNames"
    static let namedSaves = StoreCapabilities.NamedSaves.remembered
}

enum ForgetsNames: NamePolicy {
    static let type: StoreType = "ForgetsNames"
    static let namedSaves = StoreCapabilities.NamedSaves.forgotten
}

/// An in-memory store that claims to be durable, and whose commits may be lost.
final class UncertainStore<Names: NamePolicy>: PersistentStore {
    static var type: StoreType { Names.type }
    static var capabilities: StoreCapabilities {
        StoreCapabilities(
            isDurable: true, readsDuringSave: true, isShared: true,
            namedSaves: Names.namedSaves, options: [Uncertainty.option])
    }

    private let store: InMemoryStore
    private let uncertainty: Uncertainty

    private init(_ store: InMemoryStore, _ uncertainty: Uncertainty) {
        self.store = store
        self.uncertainty = uncertainty
    }

    static func open(_ request: OpenRequest) throws(StoreError) -> UncertainStore {
        var request = request
        let value = request.options.removeValue(forKey: Uncertainty.option)
        return UncertainStore(
            try InMemoryStore.open(request), Uncertainty.named(value) ?? Uncertainty())
    }

    var number: StoreNumber { store.number }
    var request: OpenRequest { store.request }
    func metadata() throws(StoreError) -> StoreMetadata { try store.metadata() }
    func snapshot() throws(StoreError) -> any StoreSnapshot { try store.snapshot() }
    func close() throws(StoreError) { try store.close() }

    func beginSave() throws(StoreError) -> any SaveTransaction {
        let fails = uncertainty.state.withLock { state in
            state.beginCount += 1
            state.failingBegins -= 1
            return state.failingBegins >= 0
        }
        if fails { throw .engineFailure(failure("begin", isTransient: true)) }
        return Transaction(try store.beginSave(), of: self)
    }

    func outcome(of id: SaveID) throws(StoreError) -> CommitOutcome {
        let (fails, hasForgotten) = uncertainty.state.withLock { state in
            state.questionCount += 1
            state.failingQuestions -= 1
            return (state.failingQuestions >= 0, state.hasForgotten)
        }
        if fails { throw .engineFailure(failure("ask", isTransient: true)) }
        return hasForgotten ? .forgotten : try store.outcome(of: id)
    }

    private func failure(_ operation: String, isTransient: Bool) -> EngineFailure {
        EngineFailure(
            type: Self.type, location: request.location, operation: operation, code: 1,
            message: "the connection was lost", isTransient: isTransient)
    }

    private final class Transaction: SaveTransaction {
        private let base: any SaveTransaction
        private let store: UncertainStore
        private var inserted: [ObjectID] = []

        init(_ base: any SaveTransaction, of store: UncertainStore) {
            self.base = base
            self.store = store
        }

        func reserveKeys(
            _ counts: [EntityNumber: Int]
        ) throws(StoreError) -> [EntityNumber: Range<Int64>] { try base.reserveKeys(counts) }

        func prepare(_ request: SaveRequest) throws(StoreError) {
            inserted = request.inserted.ids
            store.uncertainty.state.withLock { $0.names.append(request.id) }
            try base.prepare(request)
        }

        func commit() throws(StoreError) -> SaveOutcome {
            let (end, isTransient) = store.uncertainty.state.withLock { state in
                state.commitCount += 1
                let end = state.commits.isEmpty ? .succeeds : state.commits.removeFirst()
                return (end, state.isTransient)
            }
            switch end {
            case .succeeds: return try base.commit()
            case .losesAnswer:
                _ = try base.commit()
                throw .commitOutcomeUnknown(store.failure("commit", isTransient: isTransient))
            case .losesRequest:
                throw .commitOutcomeUnknown(store.failure("commit", isTransient: isTransient))
            case .clashes:
                throw .uniquenessConflicts([
                    UniquenessConflict(
                        entity: "Book", constraint: ["title"], requested: inserted, stored: nil)
                ])
            case .fails(let isTransient):
                throw .engineFailure(store.failure("commit", isTransient: isTransient))
            }
        }

        func rollback() { base.rollback() }
    }
}

extension LibraryStack {
    /// Adds an in-memory store that claims to be durable.
    @discardableResult
    func add(
        _ type: StoreType, _ uncertainty: Uncertainty, _ configuration: String? = nil
    ) throws -> any PersistentStore {
        try coordinator.addPersistentStore(
            ofType: type, configurationName: configuration,
            at: URL(string: "uncertain://localhost/\(uncertainty.name)"),
            options: [Uncertainty.option: .string(uncertainty.name)])
    }
}
