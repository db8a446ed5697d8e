import CairnModel
import CairnStore

/// Writes answers of many rows, until they have bytes enough for one message.
enum ServedReading {
    /// The rows of the first IDs, and how many IDs these are.
    static func rows(
        for ids: [ObjectID], in snapshot: any StoreSnapshot, _ writer: inout MessageWriter
    ) throws(StoreError) {
        var rows = RowBatch()
        var (answered, byteCount) = (0, 0)
        // Few at first: how long rows are is not known yet.
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
        writer.batch(rows)
        writer.integer(UInt64(answered))
    }

    /// The members of the first owners, in parts that follow each other.
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
