import CairnModel
import CairnStore
import CairnThreads
import Foundation

/// One state of a coordinator's stores as the source of a context. Saves go to the stores as they
/// are.
final class PinnedSource: ObjectSource {
    private let stack: PersistentStoreCoordinator
    let state: PinnedState

    init(_ stack: PersistentStoreCoordinator, _ state: PinnedState) {
        self.stack = stack
        self.state = state
    }

    /// Pins the newest state of every store.
    ///
    /// - Throws: `.queryGenerationUnsupported` where an engine, or a store for the mode that it is in,
    ///   has readers and writer wait for each other, so that one kept state would keep everybody
    ///   from saving; `.store`.
    static func pinningNewest(
        of stack: PersistentStoreCoordinator
    ) throws(GraphError) -> PinnedSource {
        let stores = stack.attachedStores
        if let exclusive = stores.first(where: { !$0.capabilities.readsDuringSave }) {
            throw .queryGenerationUnsupported(
                "\(exclusive.location) cannot be read while it is written to.")
        }
        let state = PinnedState(try stack.snapshots(of: stores))
        for member in state.snapshots.members where try keepsOthersFromSaving(member) {
            throw .queryGenerationUnsupported(
                "while \(member.attached.location) is read nobody can save to it, because it has a"
                    + " rollback journal. Open it for writing once: it has a write-ahead log then.")
        }
        return PinnedSource(stack, state)
    }

    private static func keepsOthersFromSaving(
        _ member: SnapshotSet.Member
    ) throws(GraphError) -> Bool {
        try GraphError.translating { () throws(StoreError) in
            try member.snapshot.keepsOthersFromSaving()
        }
    }

    var layouts: RowLayouts { stack.layouts }
    var temporarySpace: StoreNumber { stack.temporarySpace }
    var feed: ContextFeed? { stack.feed }
    var coordinator: PersistentStoreCoordinator? { stack }
    var executor: TurnExecutor { stack.executor }

    func fetch(_ plan: FetchPlan, in stores: [StoreNumber]?) throws(GraphError) -> RowBatch {
        let set = try snapshots(for: plan, in: stores)
        return try StoreDeadline.with(plan.deadline) { () throws(GraphError) in
            try FetchPipeline(plan, of: stack).fetch(from: set)
        }
    }

    func count(_ plan: FetchPlan, in stores: [StoreNumber]?) throws(GraphError) -> Int {
        let set = try snapshots(for: plan, in: stores)
        return try StoreDeadline.with(plan.deadline) { () throws(GraphError) in
            try FetchPipeline(plan, of: stack).count(in: set)
        }
    }

    func dictionaries(
        _ plan: DictionaryPlan, in stores: [StoreNumber]?
    ) throws(GraphError) -> [[String: Value]] {
        let set = try snapshots(for: plan.fetch, in: stores)
        return try StoreDeadline.with(plan.fetch.deadline) { () throws(GraphError) in
            try DictionaryFetch(plan, of: stack).run(on: set)
        }
    }

    private func snapshots(
        for plan: FetchPlan, in stores: [StoreNumber]?
    ) throws(GraphError) -> SnapshotSet {
        let numbers = Set(try stack.stores(holding: plan, among: stores).map(\.number))
        let set = state.snapshots.filtered { numbers.contains($0.number) }
        if set.members.isEmpty { throw .noStore(entity: plan.entity.name) }
        return set
    }

    func rows(for ids: [ObjectID]) throws(GraphError) -> RowBatch {
        try rows(for: ids, usingCache: true)
    }

    func freshRows(for ids: [ObjectID]) throws(GraphError) -> RowBatch {
        try rows(for: ids, usingCache: false)
    }

    private func rows(for ids: [ObjectID], usingCache: Bool) throws(GraphError) -> RowBatch {
        let groups = IDGroups(ids)
        var batch = RowBatch()
        for (number, members) in zip(groups.stores, groups.ids) {
            let member = try member(numbered: number)
            let cache = member.attached.rowCache
            let (found, missing) =
                usingCache
                ? cache.rows(for: members, asOf: member.snapshot.generation) : ([], members)
            batch.append(RowBatch(found))
            if missing.isEmpty { continue }
            batch.append(
                try GraphError.translating { () throws(StoreError) in
                    try member.attached.reading(member.snapshot).rows(for: missing)
                })
        }
        return batch
    }

    private func member(numbered number: StoreNumber) throws(GraphError) -> SnapshotSet.Member {
        if let member = state.snapshots.members.first(where: { $0.attached.number == number }) {
            return member
        }
        throw .unknownStore(number)
    }

    func relatedIDs(
        _ relationship: Relationship, of ids: [ObjectID]
    ) throws(GraphError) -> RelatedIDs {
        let answer = try related([RelatedQuestion(relationship, of: ids)])
        return answer.members.first ?? RelatedIDs()
    }

    func related(_ questions: [RelatedQuestion]) throws(GraphError) -> RelatedAnswer {
        try RelatedGroups(questions).answer { number, questions throws(GraphError) in
            let member = try member(numbered: number)
            return try GraphError.translating { () throws(StoreError) in
                try member.attached.reading(member.snapshot).related(questions)
            }
        }
    }

    func externalData(_ reference: ExternalReference) throws(GraphError) -> Data {
        let member = try member(numbered: reference.store)
        return try GraphError.translating { () throws(StoreError) in
            try member.snapshot.externalData(reference)
        }
    }

    func save(_ changes: ChangeSet) throws(GraphError) -> SaveResult { try stack.save(changes) }

    func permanentIDs(
        for temporary: [ObjectID], assignments: [ObjectID: StoreNumber]
    ) throws(GraphError) -> [ObjectID] {
        try stack.permanentIDs(for: temporary, assignments: assignments)
    }
}
