import CairnModel
import CairnRows
import CairnStore

/// Functions that write answers with many rows. They stop when a message has the usual length, and the client
/// requests the rest.
enum ServedReading {
    /// Writes the rows of the IDs, in their order, until the answer is long enough. Then writes the number of
    /// IDs that were answered.
    static func rows(
        for ids: [ObjectID], in snapshot: any StoreSnapshot, _ writer: inout MessageWriter
    ) throws(StoreError) {
        let (rows, answered) = try rows(for: ids, in: snapshot)
        writer.batch(rows)
        writer.integer(UInt64(answered))
    }

    private static func rows(
        for ids: [ObjectID], in snapshot: any StoreSnapshot
    ) throws(StoreError) -> (RowBatch, answered: Int) {
        var rows = RowBatch()
        var (answered, byteCount) = (0, 0)
        // Starts with few rows, because their size is not known yet.
        var step = 8
        while answered < ids.count, byteCount < MessageLimits.usualAnswer {
            let some = ids[answered...].prefix(step)
            let found = try snapshot.rows(for: Array(some))
            byteCount += found.messageByteCount
            rows.append(found)
            answered += some.count
            let rest = max(0, MessageLimits.usualAnswer - byteCount)
            step = min(MessageLimits.rowsBetweenLooks, rest / max(1, byteCount / answered) + 1)
        }
        return (rows, answered)
    }

    /// Writes the members that each question asks for, and then rows of these members until the answer is
    /// long enough. The client requests the other rows.
    static func answer(
        _ questions: [RelatedQuestion], in snapshot: any StoreSnapshot,
        _ writer: inout MessageWriter
    ) throws(StoreError) {
        var seen = Set<ObjectID>()
        var wanted: [ObjectID] = []
        for question in questions {
            let related = try snapshot.relatedIDs(question.relationship, of: question.owners)
            writer.related(related)
            guard question.includesRows else { continue }
            wanted += related.members.filter { seen.insert($0).inserted }
        }
        writer.batch(try rows(for: wanted, in: snapshot).0)
    }

    /// Writes the members of the owners in several parts, until the answer is long enough.
    static func members(
        _ relationship: Relationship, of ids: [ObjectID], in snapshot: any StoreSnapshot,
        _ writer: inout MessageWriter
    ) throws(StoreError) {
        var answered = 0
        while answered < ids.count, writer.bytes.count < MessageLimits.usualAnswer {
            let some = ids[answered...].prefix(MessageLimits.rowsBetweenLooks)
            writer.related(try snapshot.relatedIDs(relationship, of: Array(some)))
            answered += some.count
        }
    }
}
