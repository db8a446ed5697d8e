import CairnModel
import CairnRows
import Foundation

/// A fetch request in the form that a store executes, with every name resolved.
///
/// The stages are executed in this order: predicate, sort, offset and limit. An engine completes
/// any number of stages from the start. It may evaluate any of the predicate's top-level conjuncts.
/// If it does not evaluate the whole predicate, it must not execute the later stages. It reports
/// what it did in ``CompletedStages``.
public struct FetchPlan: Sendable {
    /// What the answer contains for each match.
    public enum Output: Sendable, Hashable {
        /// Rows, which contain their IDs.
        case rows
        /// IDs with the concrete entity. The batches contain no rows.
        case ids
    }

    /// The entity that the names in the predicate and the sorts were resolved against.
    public var entity: Entity
    /// Whether objects of subentities match.
    public var includesSubentities: Bool
    /// The condition for matches, as `RowFilter` evaluates it. If `nil`, all objects match.
    public var predicate: BoundPredicate?
    /// The sort keys, the most significant first. Remaining ties are decided by root entity and
    /// key. Without sort keys, matches come in any order.
    public var sorts: [BoundSort]
    /// The number of matches to skip.
    public var offset: Int
    /// The maximum number of matches to return, or `nil` for all.
    public var limit: Int?
    /// Whether matches are returned as rows or as IDs alone.
    public var output: Output
    /// The slots whose values are read from the rows, including those that the predicate and the sorts
    /// need. `nil` for all slots.
    ///
    /// An engine may return rows in which the other slots are `nil`, so that a SQL statement names fewer
    /// columns. Every row has its right ID and version.
    public var slots: SlotSet?
    /// Whether the fetch ends with `.cancelled` when the running task is cancelled. If `false`,
    /// cancelling the task does not end the fetch.
    ///
    /// The coordinator checks for cancellation between two batches. An engine that spends a long
    /// time on one batch also calls ``checkCancellation()`` in between.
    public var isCancellable = false
    /// Whether the cursor should report how it finds the matches: see ``RowCursor/report``. Counting
    /// rows may make the fetch slower.
    public var isExplained = false
    /// The time at which the coordinator ends the fetch with `.deadlineExceeded`, or `nil` for no
    /// deadline.
    ///
    /// Engines do not look at this value. The coordinator sets this time as the ``StoreDeadline``
    /// of its calls, and engines check the ``StoreDeadline``.
    public var deadline: ContinuousClock.Instant?
    /// Counts the objects that the coordinator has gathered, and ends the fetch with `.cancelled` when it is
    /// cancelled.
    package var progress: Progress?

    /// Creates a plan. By default it returns every object of the entity as rows. The arguments are
    /// not checked, because names were already checked when they were resolved.
    package init(
        entity: Entity, includesSubentities: Bool = true, predicate: BoundPredicate? = nil,
        sorts: [BoundSort] = [], offset: Int = 0, limit: Int? = nil, output: Output = .rows
    ) {
        self.entity = entity
        self.includesSubentities = includesSubentities
        self.predicate = predicate
        self.sorts = sorts
        self.offset = offset
        self.limit = limit
        self.output = output
    }

    /// The numbers of the entities whose objects may match. They are consecutive.
    public var entityNumbers: Range<EntityNumber> {
        includesSubentities
            ? entity.hierarchyNumbers
            : entity.number..<EntityNumber(entity.number.rawValue + 1)
    }
}

/// One key to sort by.
///
/// In ascending order, `nil` comes before all values, `false` before `true`, and NaN before all
/// other numbers. Text is ordered by Unicode scalars, unless ``textOrder`` says otherwise. A
/// descending sort reverses the whole order.
public struct BoundSort: Sendable, Hashable {
    /// The ways in which text can be ordered.
    public enum TextOrder: String, Sendable, Hashable, Codable {
        /// By Unicode scalars.
        case scalars
        /// By Unicode scalars after default case folding, like comparisons with `[c]`.
        case caseInsensitive
        /// By text with case and diacritics folded and with digits compared by value, then by
        /// scalars. The order does not depend on the locale.
        case standard
    }

    /// A single-valued path. It ends in an attribute, or in the object itself to sort by key.
    public var path: BoundPath
    /// Whether the order is ascending. `false` reverses the whole order, so that `nil` comes last.
    public var isAscending: Bool
    /// How text is ordered. Has no effect on values of other types.
    public var textOrder: TextOrder

    /// Creates a sort key. By default, the order is ascending, and text is ordered by Unicode
    /// scalars.
    package init(_ path: BoundPath, isAscending: Bool = true, textOrder: TextOrder = .scalars) {
        self.path = path
        self.isAscending = isAscending
        self.textOrder = textOrder
    }
}

extension FetchPlan {
    /// Checks whether the fetch has to end.
    ///
    /// - Throws: `.cancelled` if the plan is cancellable and the running task was cancelled;
    ///   `.deadlineExceeded` if the ``StoreDeadline`` has passed.
    public func checkCancellation() throws(StoreError) {
        try StoreDeadline.check()
        if isCancelled { throw .cancelled }
    }

    /// Whether the fetch was cancelled by its task or its progress.
    package var isCancelled: Bool {
        isCancellable && Task.isCancelled || progress?.isCancelled == true
    }
}
