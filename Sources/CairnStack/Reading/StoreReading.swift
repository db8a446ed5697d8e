import CairnModel
import CairnRows
import CairnStore

/// Reads from one state of a store, in calls of the size that the engine prefers.
///
/// Adds the rows that it reads to the row cache.
struct StoreReading {
    let snapshot: any StoreSnapshot
    let rowCache: RowCache

    private var idsPerCall: Int { max(1, snapshot.readPreferences.idsPerCall) }

    /// Returns the rows of the IDs that exist in the store.
    ///
    /// - Throws: The errors of the store.
    func rows(for ids: [ObjectID]) throws(StoreError) -> RowBatch {
        var batch = RowBatch()
        for part in parts(of: ids.count) {
            try StoreDeadline.check()
            batch.append(try snapshot.rows(for: part.count == ids.count ? ids : Array(ids[part])))
        }
        rowCache.insert(batch, from: snapshot.generation)
        return batch
    }

    /// Returns the members that each question asks for. Includes their rows if the engine prefers that.
    ///
    /// - Throws: The errors of the store.
    func related(_ questions: [RelatedQuestion]) throws(StoreError) -> RelatedAnswer {
        let sendsRows = snapshot.readPreferences.sendsRowsWithMembers
        var answer = RelatedAnswer(members: questions.map { _ in RelatedIDs() })
        for part in parts(of: questions.map(\.owners.count).max() ?? 0) {
            try StoreDeadline.check()
            let asked = questions.indices.filter { questions[$0].owners.count > part.lowerBound }
            let found = try snapshot.related(
                asked.map { questions[$0].part(part, includesRows: sendsRows) })
            for (index, members) in zip(asked, found.members) {
                answer.members[index].append(members)
            }
            answer.rows.append(found.rows)
        }
        rowCache.insert(answer.rows, from: snapshot.generation)
        return answer
    }

    private func parts(of count: Int) -> [Range<Int>] {
        stride(from: 0, to: count, by: idsPerCall).map { $0..<min($0 + idsPerCall, count) }
    }
}

extension RelatedQuestion {
    /// Returns the question for some of the owners.
    fileprivate func part(_ range: Range<Int>, includesRows isPossible: Bool) -> RelatedQuestion {
        let end = min(range.upperBound, owners.count)
        let isWhole = range.lowerBound == 0 && end == owners.count
        return RelatedQuestion(
            relationship, of: isWhole ? owners : Array(owners[range.lowerBound..<end]),
            includesRows: includesRows && isPossible)
    }
}
