import Cairn
import CairnStore
import Foundation
import Synchronization

/// A store that is sound except for the defect planted in this process.
final class PlantedStore<Base: FileStore>: FileStore {
    static var type: StoreType { Base.type }
    static var capabilities: StoreCapabilities { Base.capabilities }

    let base: Base
    private let state = Mutex(State())

    private struct State {
        /// A save that was acknowledged but not committed.
        var owed: SaveRequest?
        var isBroken = false
    }

    private init(_ base: Base) { self.base = base }

    static func open(_ request: OpenRequest) throws(StoreError) -> PlantedStore {
        PlantedStore(try Base.open(request))
    }

    static func metadata(at location: StoreLocation) throws(StoreError) -> StoreMetadata {
        try Base.metadata(at: location)
    }

    static func model(at location: StoreLocation) throws(StoreError) -> ModelDescription? {
        try Base.model(at: location)
    }

    static func companionFiles(of location: StoreLocation) -> [StoreFile] {
        Base.companionFiles(of: location)
    }

    static func withExclusiveUse<Result>(
        of location: StoreLocation, _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        if PlantedDefect.current == .ignoresUsers { return try body() }
        return try Base.withExclusiveUse(of: location, body)
    }

    var number: StoreNumber { base.number }
    var request: OpenRequest { base.request }

    func metadata() throws(StoreError) -> StoreMetadata { try base.metadata() }
    func newestGeneration() throws(StoreError) -> StoreGeneration { try base.newestGeneration() }
    var commitsDurably: Bool { base.commitsDurably }
    func synchronize() throws(StoreError) { try base.synchronize() }
    func outcome(of id: SaveID) throws(StoreError) -> CommitOutcome {
        PlantedDefect.current == .ignoresSaveNames ? .notSaved : try base.outcome(of: id)
    }
    func close() throws(StoreError) {
        try payDebt()
        try base.close()
    }

    func snapshot() throws(StoreError) -> any StoreSnapshot {
        try payDebt()
        let snapshot = try base.snapshot()
        return PlantedDefect.current == .neverEnds ? EndlessSnapshot(snapshot) : snapshot
    }

    func beginSave() throws(StoreError) -> any SaveTransaction {
        if state.withLock({ $0.isBroken }) { throw .closed(request.location) }
        try payDebt()
        do {
            return PlantedTransaction(try base.beginSave(), of: self)
        } catch {
            try noteFailure()
            if acknowledgesFailures { return PlantedTransaction(nil, of: self) }
            throw error
        }
    }

    // MARK: Defects

    var acknowledgesFailures: Bool {
        [.swallowsFailures, .overwritesReplacement].contains(PlantedDefect.current)
    }

    func owe(_ request: SaveRequest) { state.withLock { $0.owed = request } }

    private func payDebt() throws(StoreError) {
        if let owed = state.withLock({ $0.owed.take() }) { try save(owed) }
    }

    func save(_ request: SaveRequest) throws(StoreError) {
        let transaction = try base.beginSave()
        try transaction.prepare(request)
        _ = try transaction.commit()
    }

    /// Called after a failed save.
    func noteFailure() throws(StoreError) {
        switch PlantedDefect.current {
        case .staysBroken: state.withLock { $0.isBroken = true }
        case .overwritesReplacement: rewriteFile("mine")
        default: break
        }
    }

    /// Rewrites the file in place, in two steps.
    func rewriteInPlace() {
        guard let path = request.location.fileURL?.path,
            let bytes = FileManager.default.contents(atPath: path)
        else { return }
        let descriptor = Foundation.open(path, O_WRONLY | O_TRUNC)
        guard descriptor >= 0 else { return }
        defer { Foundation.close(descriptor) }
        for half in [bytes.prefix(bytes.count / 2), bytes.dropFirst(bytes.count / 2)] {
            _ = half.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        }
    }

    /// Copies the file at the path, and renames the copy over whatever is there by then.
    func renameCopyOverFile() {
        guard let path = request.location.fileURL?.path,
            let bytes = FileManager.default.contents(atPath: path),
            (try? bytes.write(to: URL(fileURLWithPath: path + ".copy"))) != nil
        else { return }
        rename(path + ".copy", path)
    }

    private func rewriteFile(_ text: String) {
        guard let url = request.location.fileURL else { return }
        try? Data(text.utf8).write(to: url)
    }
}

/// A sound snapshot whose cursors start again at their end.
private final class EndlessSnapshot: StoreSnapshot {
    private let base: any StoreSnapshot

    init(_ base: any StoreSnapshot) { self.base = base }

    var generation: StoreGeneration { base.generation }

    func cursor(_ plan: FetchPlan) throws(StoreError) -> any RowCursor {
        try EndlessCursor(base, plan)
    }
    func count(_ plan: FetchPlan) throws(StoreError) -> Int? { try base.count(plan) }
    func rows(for ids: [ObjectID]) throws(StoreError) -> RowBatch { try base.rows(for: ids) }
    func relatedIDs(
        _ relationship: Relationship, of ids: [ObjectID]
    ) throws(StoreError) -> RelatedIDs { try base.relatedIDs(relationship, of: ids) }
    func externalData(_ reference: ExternalReference) throws(StoreError) -> Data {
        try base.externalData(reference)
    }
}

private final class EndlessCursor: RowCursor {
    private let snapshot: any StoreSnapshot
    private let plan: FetchPlan
    private var cursor: any RowCursor

    init(_ snapshot: any StoreSnapshot, _ plan: FetchPlan) throws(StoreError) {
        self.snapshot = snapshot
        self.plan = plan
        cursor = try snapshot.cursor(plan)
    }

    var completed: CompletedStages { cursor.completed }

    func next(atMost count: Int) throws(StoreError) -> RowBatch? {
        if let batch = try cursor.next(atMost: count) { return batch }
        cursor = try snapshot.cursor(plan)
        return try cursor.next(atMost: count)
    }
}
