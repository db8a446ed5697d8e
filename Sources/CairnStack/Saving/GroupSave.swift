import CairnModel
import CairnRows
import CairnStore
import CairnThreads
import Foundation

/// Saves of one store that share a commit. One of them, the leader, has begun, and writes the
/// requests of all in the order in which they asked.
///
/// Each request is checked and fails by itself. A failed request is answered only after the commit,
/// because the rows that it conflicts with may be those of another member.
struct GroupSave {
    /// A save that waits for the store and may be written by another thread.
    ///
    /// It is unchecked because the thread that owns the save does not touch it while it waits, and
    /// the mutexes of the queue order the accesses of both threads.
    struct Member: @unchecked Sendable {
        let save: StoreSave
        /// Whether the save's rows are packed, so that another thread can write them.
        let isPacked: Bool
        let progress: Progress?
    }

    /// What the leader tells a member.
    enum Answer: Sendable {
        /// The save took place, and these are its rows.
        case saved(RowBatch)
        /// The store refused the save.
        case failed(StoreError)
        /// Nobody knows whether the commit took place.
        case unknown(EngineFailure)
        /// The save must be tried again without others.
        case alone
    }

    typealias Queue = LeaderQueue<Member, Answer>

    /// How many objects and pairs the members of a group change together, so that a member does not wait
    /// long for the others.
    static let mostChanges = 1_000

    private let leader: StoreSave
    private let transaction: any SaveTransaction
    private let rules: ReferenceRules
    /// The rows that the members have saved, or `nil` for each object that they have deleted.
    private var saved: [ObjectID: Row?] = [:]
    private var savedCount = 0
    private var hasSaved = false

    /// - Precondition: The leader has begun and has prepared nothing.
    init?(ledBy leader: StoreSave, _ rules: ReferenceRules) {
        guard let transaction = leader.transaction else { return nil }
        self.leader = leader
        self.transaction = transaction
        self.rules = rules
    }

    /// Writes and commits the saves of the members, of which the leader is the first. The leader's
    /// transaction has ended afterwards.
    ///
    /// - Returns: An answer for each member, in order.
    mutating func run(_ members: [Member]) -> [Answer] {
        var answers: [Answer] = []
        do {
            for member in members {
                let isCancelled = member.progress?.isCancelled ?? false
                answers.append(isCancelled ? .alone : try write(member.save))
            }
            if hasSaved { try commit() } else { leader.rollback() }
            return answers
        } catch .commitOutcomeUnknown(let failure) {
            leader.rollback()
            return members.indices.map { index in
                if index < answers.count, case .saved = answers[index] { return .unknown(failure) }
                return .alone
            }
        } catch {
            // Whatever failed may concern one member only, so each tries by itself.
            leader.rollback()
            return members.map { _ in .alone }
        }
    }

    /// Prepares the save of a member and checks its references.
    ///
    /// - Throws: An error after which the group cannot be committed.
    private mutating func write(_ member: StoreSave) throws(StoreError) -> Answer {
        var recomputed = RowBatch()
        var failure: StoreError?
        do {
            recomputed = try transaction.prepareNext(member.request)
        } catch {
            guard error.concernsOneSave else { throw error }
            if case .cancelled = error { return .alone }
            failure = error
        }
        if let answer = try brokenReferences(of: member, after: failure) {
            if failure == nil { try transaction.discardLast() }
            return answer
        }
        if let failure { return .failed(failure) }
        let rows = member.savedRows(recomputed)
        for row in rows.rows { saved[row.id] = .some(row) }
        for deletion in member.request.deleted { saved[deletion.id] = .some(nil) }
        savedCount += member.request.objectCount
        hasSaved = true
        return .saved(rows)
    }

    /// Returns an answer if the member would break references, or if that cannot be told because it
    /// depends on members of relationships that the group may have changed.
    ///
    /// - Parameter failure: Why the store refused the request. Broken references are reported rather
    ///   than equal unique values.
    private func brokenReferences(
        of member: StoreSave, after failure: StoreError?
    ) throws(StoreError) -> Answer? {
        guard leader.attached.capabilities.letsReferencesBeChecked else { return nil }
        switch failure {
        case nil, .uniquenessConflicts: break
        default: return nil
        }
        let stored = StoredRows(
            member.request, in: leader, prepared: failure == nil ? transaction : nil, after: saved)
        var broken = BrokenReferences(rules, in: stored)
        let conflicts = try broken.conflicts()
        if stored.hasReadOldMembers { return .alone }
        return conflicts.isEmpty ? nil : .failed(.referenceConflicts(conflicts))
    }

    private func commit() throws(StoreError) {
        let outcome = try leader.commit(transaction, of: savedCount)
        leader.adopt(
            RowBatch(saved.values.compactMap { $0 }),
            deleted: saved.compactMap { $0.value == nil ? $0.key : nil }, outcome)
    }
}

extension StoreError {
    /// Whether the error says that a store refuses a request, so that other requests in the same
    /// transaction are not concerned.
    fileprivate var concernsOneSave: Bool {
        switch self {
        case .rowConflicts, .uniquenessConflicts, .referenceConflicts, .saveNameTooSmall,
            .unsupportedValue, .unsupported, .externalDataMissing, .cancelled:
            true
        default: false
        }
    }
}
