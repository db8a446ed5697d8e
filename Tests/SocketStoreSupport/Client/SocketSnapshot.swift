import CairnModel
import CairnRows
import CairnStore
import Foundation
import Synchronization

/// A snapshot that the server holds. Its end is reported with the next request.
final class SocketSnapshot: StoreSnapshot {
    let generation: StoreGeneration
    private let store: SocketStore
    private let session: SocketSession
    private let number: UInt64
    private let isEnded = Atomic<Bool>(false)

    init(
        _ store: SocketStore, _ session: SocketSession, number: UInt64, generation: StoreGeneration
    ) {
        self.store = store
        self.session = session
        self.number = number
        self.generation = generation
    }

    deinit { end() }

    /// Ends the snapshot without a message: the end is reported with the next request.
    func end() {
        if isEnded.exchange(true, ordering: .relaxed) { return }
        session.release(number)
    }

    /// Checks that the snapshot can be used.
    ///
    /// - Throws: `.closed` if the snapshot has ended or the store is closed.
    private func checkOpen() throws(StoreError) {
        try store.checkOpen()
        if isEnded.load(ordering: .relaxed) { throw .closed(store.request.location) }
    }

    /// Prefers few messages. The server limits the length of each.
    var readPreferences: ReadPreferences {
        ReadPreferences(rowsPerBatch: 50_000, idsPerCall: 50_000, sendsRowsWithMembers: true)
    }

    /// Sends a request about this snapshot.
    private func ask<Answer>(
        _ operation: SocketOperation, _ write: (inout MessageWriter) -> Void,
        answer read: (inout MessageReader) throws(MessageDamage) -> Answer
    ) throws(StoreError) -> Answer {
        try checkOpen()
        return try session.ask(
            operation,
            { writer in
                writer.integer(number)
                write(&writer)
            }, answer: read)
    }

    /// Creates a cursor without a message: the request for the first batch creates the cursor at the server.
    func cursor(_ plan: FetchPlan) throws(StoreError) -> any RowCursor {
        try checkOpen()
        return SocketCursor(self, plan, number: session.newNumber())
    }

    /// Returns the next matches, and whether they are the last.
    func next(
        of cursor: UInt64, _ fetch: SocketFetch, atMost count: Int
    ) throws(StoreError) -> (RowBatch, isLast: Bool) {
        try ask(.fetch) { writer in
            writer.integer(cursor)
            writer.fetch(fetch)
            writer.integer(UInt64(max(count, 1)))
        } answer: { reader throws(MessageDamage) in
            (try reader.batch(), isLast: try reader.flag())
        }
    }

    func release(_ cursor: UInt64) { session.release(cursor) }

    /// Returns the number of matches, or `nil` without sending a message if the plan has a predicate, because
    /// the server evaluates no predicates.
    func count(_ plan: FetchPlan) throws(StoreError) -> Int? {
        try checkOpen()
        guard plan.predicate == nil else { return nil }
        var unsorted = plan
        unsorted.sorts = []
        return try ask(.count) { writer in
            writer.fetch(SocketFetch(unsorted))
        } answer: { reader throws(MessageDamage) in
            try reader.optional { reader throws(MessageDamage) in try reader.natural() }
        }
    }

    /// Sends one message, and one more for each 4 MiB of rows after the first.
    func rows(for ids: [ObjectID]) throws(StoreError) -> RowBatch {
        try checkOpen()
        var seen = Set<ObjectID>(minimumCapacity: ids.count)
        var left = ids.filter { $0.store == store.number && seen.insert($0).inserted }[...]
        var rows = RowBatch()
        while !left.isEmpty {
            let (some, answered) = try ask(.rows) { writer in
                writer.list(left) { $0.id($1) }
            } answer: { reader throws(MessageDamage) in
                (try reader.batch(), try reader.answeredCount(atMost: left.count))
            }
            rows.append(some)
            left = left.dropFirst(answered)
        }
        return rows
    }

    /// Sends one message, and one more for each 4 MiB of members after the first.
    func relatedIDs(
        _ relationship: Relationship, of ids: [ObjectID]
    ) throws(StoreError) -> RelatedIDs {
        try checkOpen()
        var related = RelatedIDs()
        while related.count < ids.count {
            let left = ids[related.count...]
            try ask(.relatedIDs) { writer in
                writer.relationship(relationship)
                writer.list(left) { [own = store.number] in $0.owner($1, own: own) }
            } answer: { reader throws(MessageDamage) in
                try reader.related(ofAtMost: left.count, into: &related)
            }
        }
        return related
    }

    /// Sends one message. Rows that do not fit into the answer are left out.
    func related(_ questions: [RelatedQuestion]) throws(StoreError) -> RelatedAnswer {
        try ask(.related) { writer in
            writer.questions(questions, own: store.number)
        } answer: { reader throws(MessageDamage) in
            try reader.answer(toOwners: questions.map(\.owners.count))
        }
    }

    /// Sends one message. Returns `nil` if the server was restarted, or if another program changed the store
    /// without the server.
    func changes(since generation: StoreGeneration) throws(StoreError) -> StoreChanges? {
        try ask(.changes) { writer in
            writer.integer(generation.rawValue)
        } answer: { reader throws(MessageDamage) in
            try reader.optional { reader throws(MessageDamage) in try reader.changes() }
        }
    }

    func externalData(_ reference: ExternalReference) throws(StoreError) -> Data {
        try ask(.externalData) { writer in
            writer.text(reference.name)
        } answer: { reader throws(MessageDamage) in
            Data(try reader.block())
        }
    }
}

/// Reads the matches of a plan from the server, one batch for each message.
final class SocketCursor: RowCursor {
    let completed: CompletedStages
    private let snapshot: SocketSnapshot
    private let plan: FetchPlan
    private let number: UInt64
    private var isAtEnd = false

    init(_ snapshot: SocketSnapshot, _ plan: FetchPlan, number: UInt64) {
        self.snapshot = snapshot
        self.plan = plan
        self.number = number
        completed = SocketFetch.completed(plan)
    }

    deinit {
        if !isAtEnd { snapshot.release(number) }
    }

    func next(atMost count: Int) throws(StoreError) -> RowBatch? {
        try plan.checkCancellation()
        if isAtEnd { return nil }
        let (batch, isLast) = try snapshot.next(of: number, SocketFetch(plan), atMost: count)
        isAtEnd = isLast || batch.isEmpty
        return batch.isEmpty ? nil : batch
    }
}
