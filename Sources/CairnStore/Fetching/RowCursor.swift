import CairnModel
import CairnRows

/// The result of a fetch, read in batches.
///
/// A cursor is used by one thread at a time. Other cursors of the same snapshot may be read between
/// its batches.
public protocol RowCursor: AnyObject {
    /// The stages of the plan that the engine completes. The stages are known before the first
    /// batch, and do not change.
    var completed: CompletedStages { get }

    /// Returns the next matches, at most `count` of them. After the last match, every call returns
    /// `nil`.
    ///
    /// A batch may have fewer matches than `count` even if more follow, but it is never empty: the
    /// engine continues until it finds a match or reaches the end. A batch can be used after its
    /// cursor was released. After an error, the cursor cannot be used any more, but its snapshot
    /// can.
    ///
    /// - Throws: `.closed`, `.corrupt`, `.deadlineExceeded`, `.engineFailure`; `.predicate` if
    ///   matching a pattern takes too many steps; `.cancelled` if the plan is cancellable.
    func next(atMost count: Int) throws(StoreError) -> RowBatch?

    /// What the engine has done so far to find the matches of a plan with
    /// ``FetchPlan/isExplained``.
    ///
    /// Returns `nil` if the engine does not tell. The default implementation returns `nil`.
    var report: FetchReport? { get }
}

extension RowCursor {
    /// Returns `nil`, for an engine that does not tell.
    public var report: FetchReport? { nil }
}

/// What an engine did to find the matches of a fetch.
public struct FetchReport: Sendable, Hashable {
    /// The indexes that the engine used, each in words. Empty if the engine looks at every row of
    /// the entity.
    public var access: [String]
    /// The number of rows that the engine has read. Rows that an index excluded are not read.
    public var rowsRead: Int
    /// Why stages of the plan remain for the coordinator. `nil` if no stage remains.
    public var reason: String?

    /// Creates a report. By default, nothing was read, and no index was used.
    public init(access: [String] = [], rowsRead: Int = 0, reason: String? = nil) {
        self.access = access
        self.rowsRead = rowsRead
        self.reason = reason
    }
}

/// The stages of a plan that an engine completed exactly.
public struct CompletedStages: Sendable {
    /// The part of the predicate that was not evaluated, or `nil` if the whole predicate was
    /// evaluated.
    public var remainingPredicate: BoundPredicate?
    /// Whether the matches come in the plan's order. Always `true` for a plan without sorts.
    public var isSorted: Bool
    /// Whether offset and limit were applied. Always `true` for a plan without them.
    public var isPaged: Bool

    /// Creates the stages. By default, all stages are complete.
    public init(
        remainingPredicate: BoundPredicate? = nil, isSorted: Bool = true, isPaged: Bool = true
    ) {
        self.remainingPredicate = remainingPredicate
        self.isSorted = isSorted
        self.isPaged = isPaged
    }

    /// Whether all stages are complete.
    public var isComplete: Bool { remainingPredicate == nil && isSorted && isPaged }
}

/// A cursor whose batches a closure provides.
package final class BatchCursor: RowCursor {
    private let stages: () -> CompletedStages
    private let nextBatch: (Int) throws(StoreError) -> RowBatch?
    private let source: (any RowCursor)?

    /// - Parameters:
    ///   - source: the engine's cursor, whose report this cursor passes on. If `nil`, it reports nothing.
    ///   - completed: the stages that the closure completes. By default, all. Evaluated each time, because a
    ///     cursor that passes on another one reports what that one reports.
    ///   - nextBatch: see ``next(atMost:)``.
    package init(
        of source: (any RowCursor)? = nil,
        completed stages: @escaping @autoclosure () -> CompletedStages = CompletedStages(),
        _ nextBatch: @escaping (Int) throws(StoreError) -> RowBatch?
    ) {
        self.source = source
        self.stages = stages
        self.nextBatch = nextBatch
    }

    package var completed: CompletedStages { stages() }
    package var report: FetchReport? { source?.report }

    package func next(atMost count: Int) throws(StoreError) -> RowBatch? { try nextBatch(count) }
}

extension RowCursor {
    /// Returns a cursor that skips the first matches, and ends after a maximum number of matches.
    ///
    /// - Parameters:
    ///   - offset: the number of matches to skip.
    ///   - limit: the maximum number of matches to return. If `nil`, all are returned.
    package func paged(offset: Int, limit: Int?) -> any RowCursor {
        var toSkip = max(0, offset)
        var toReturn = max(0, limit ?? .max)
        return BatchCursor(of: self) { count throws(StoreError) in
            while toReturn > 0, let batch = try self.next(atMost: count) {
                let skipped = min(toSkip, batch.count)
                toSkip -= skipped
                let end = min(batch.count, skipped + min(toReturn, batch.count - skipped))
                toReturn -= end - skipped
                if skipped < end {
                    return skipped == 0 && end == batch.count ? batch : batch.slice(skipped..<end)
                }
            }
            return nil
        }
    }

    /// Returns a cursor of the matches' IDs, without their rows.
    package func withoutRows() -> any RowCursor {
        BatchCursor(of: self) { count throws(StoreError) in
            try self.next(atMost: count).map { RowBatch(ids: $0.ids) }
        }
    }
}

/// A part of a fetch that a thread can read on its own: see
/// ``StoreSnapshot/parts(of:atMost:rowsEach:)``.
public struct FetchPart: Sendable {
    private let makeCursor: @Sendable () throws(StoreError) -> any RowCursor

    /// Creates a part.
    ///
    /// - Parameter makeCursor: starts the part's fetch. It is called on the thread that reads the
    ///   part. Resources that it holds, such as a transaction, are released together with the part
    ///   and its cursor.
    public init(_ makeCursor: @escaping @Sendable () throws(StoreError) -> any RowCursor) {
        self.makeCursor = makeCursor
    }

    /// Starts the part's fetch.
    ///
    /// - Throws: the errors of ``StoreSnapshot/cursor(_:)``.
    public func cursor() throws(StoreError) -> any RowCursor { try makeCursor() }
}
