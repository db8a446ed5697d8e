import CairnRows
import CairnStore

/// Returns the matches of several cursors, one cursor after the other.
final class ConcatenatingCursor: RowCursor {
    let completed = CompletedStages()
    private var sources: ArraySlice<any RowCursor>

    init(_ sources: [any RowCursor]) {
        self.sources = sources[...]
    }

    func next(atMost count: Int) throws(StoreError) -> RowBatch? {
        while let source = sources.first {
            if let batch = try source.next(atMost: count) { return batch }
            sources.removeFirst()
        }
        return nil
    }
}
