import CairnEngineKit
import CairnModel
import CairnRows
import CairnStore

/// Merges the matches of several sorted cursors into one sorted sequence, reading from the cursors as
/// needed.
final class MergingCursor: RowCursor {
    let completed = CompletedStages()
    private let cursors: [any RowCursor]
    private var merge: RowMerge

    init(_ sources: [(cursor: any RowCursor, order: RowOrder, store: StoreNumber)]) {
        cursors = sources.map(\.cursor)
        merge = RowMerge(sources.map { ($0.order, $0.store) })
    }

    func next(atMost count: Int) throws(StoreError) -> RowBatch? {
        let count = max(1, count)
        while merge.count < count {
            while let index = merge.nextToFill {
                try merge.fill(index, with: cursors[index].next(atMost: count))
            }
            let before = merge.count
            try merge.take(upTo: count)
            if merge.count == before { break }
        }
        return merge.takeAnswer()
    }
}
