import CairnModel

/// A fetch with every name resolved: what a store is asked.
///
/// The stages are predicate → sort → offset and limit. An engine completes any prefix of them, and
/// of the predicate any of its top-level conjuncts; where some of the predicate remains it does
/// nothing later. It says what it did in ``CompletedStages``.
public struct FetchPlan: Sendable {
    /// What the answer holds of each match.
    public enum Output: Sendable, Hashable {
        /// Rows, which contain their IDs.
        case rows
        /// IDs with the concrete entity; batches hold no rows.
        case ids
    }

    /// The entity that names in the predicate and the sorts were resolved against.
    public var entity: Entity
    /// Whether objects of subentities match.
    public var includesSubentities: Bool
    /// What matches fulfil, as ``RowFilter`` evaluates it. `nil` if all objects match.
    public var predicate: BoundPredicate?
    /// The first decides; ties go to the next, at last to root entity and key. Without sorts, matches
    /// come in any order.
    public var sorts: [BoundSort]
    /// How many matches are passed over.
    public var offset: Int
    /// The most matches returned. `nil` if all are wanted.
    public var limit: Int?
    /// Whether matches come as rows or as IDs alone.
    public var output: Output
    /// Whether the fetch ends with `.cancelled` once the running task is cancelled. Otherwise a
    /// cancelled task does not end the fetch.
    ///
    /// The coordinator looks at it between two batches. An engine that works long on one batch calls
    /// ``checkCancellation()`` meanwhile.
    public var isCancellable = false
    /// When the coordinator ends the fetch with `.deadlineExceeded`. `nil` if there is no such moment.
    ///
    /// The coordinator makes it the ``StoreDeadline`` of its calls, which is what an engine looks at.
    public var deadline: ContinuousClock.Instant?

    /// A plan for every object of the entity, as rows, unless narrowed. Nothing is checked: binding
    /// did that.
    public init(
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

    /// The entities whose objects may match, as numbers that follow each other.
    public var entityNumbers: Range<EntityNumber> {
        includesSubentities
            ? entity.hierarchyNumbers
            : entity.number..<EntityNumber(entity.number.rawValue + 1)
    }
}
