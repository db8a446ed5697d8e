import CairnModel
import CairnObjects
import CairnStack
import CairnStore
import Foundation

/// Where a page of a fetch ended: the values of its last object that the fetch sorts by, and the object itself.
///
/// The next page begins after these values, whatever was saved meanwhile. The object need not exist any more. A cursor
/// is `Codable`, so that a server can give it to a client as a token; it contains the values. Programs that open several
/// stores have to open them in the same order to use each other's cursors, because that order decides between objects
/// with equal values and keys.
public struct PageCursor: Sendable, Hashable, Codable {
    private let sorts: [FetchSortDescriptor]
    /// A constant for each sort descriptor.
    private let values: [FetchExpression]
    private let object: URL

    /// Creates a cursor after an object.
    ///
    /// - Parameter values: The stored values by the key paths of `sorts`. Those that are `nil` are absent.
    init(after id: ObjectID, sortedBy sorts: [FetchSortDescriptor], _ values: [String: Value]) {
        self.sorts = sorts
        self.values = sorts.map { .constant(values[$0.keyPath] ?? .null) }
        object = id.uriRepresentation()
    }

    /// Returns the condition for the objects of an entity after the cursor.
    ///
    /// - Throws: `.predicate(.unsupported)` if the cursor is of a request with other sort descriptors, or of a store
    ///   that the coordinator does not have; `.predicate` if its values do not fit.
    func condition(
        for sorts: [FetchSortDescriptor], of entity: Entity,
        in coordinator: PersistentStoreCoordinator
    ) throws(GraphError) -> BoundPredicate {
        // A client may have changed it.
        let areConstants = values.allSatisfy { if case .constant = $0 { true } else { false } }
        guard sorts == self.sorts, values.count == sorts.count, areConstants else {
            throw Self.refusal("use a cursor only with the sort descriptors of its own request")
        }
        guard let id = coordinator.managedObjectID(forURIRepresentation: object) else {
            throw Self.refusal(
                "“\(object)” is no object of the coordinator’s stores: add its store first")
        }
        // Programs cannot write this comparison, because a save changes the order of new objects.
        var condition = BoundPredicate.comparison(
            BoundComparison(
                .path(BoundPath(leaf: .object)), .greaterThan, .constant(.objectID(id))))
        do {
            for (sort, value) in zip(sorts, values).reversed() {
                condition = try Self.condition(sort, value, of: entity, orEqualAnd: condition)
            }
        } catch {
            throw .predicate(error)
        }
        return condition
    }

    /// Returns the condition for a value after another one, or for an equal one that meets the rest.
    private static func condition(
        _ sort: FetchSortDescriptor, _ value: FetchExpression, of entity: Entity,
        orEqualAnd rest: BoundPredicate
    ) throws(FetchPredicateError) -> BoundPredicate {
        let path = FetchExpression.keyPath(sort.keyPath.split(separator: ".").map(String.init))
        func compared(
            _ symbol: PredicateComparison.Operator, _ other: FetchExpression
        ) throws(FetchPredicateError) -> BoundPredicate {
            let options: PredicateComparison.Options =
                sort.textOrder == .caseInsensitive ? [.caseInsensitive] : []
            return try FetchPredicate.comparison(
                PredicateComparison(path, symbol, other, options: options)
            ).bound(to: entity)
        }
        let null = FetchExpression.constant(.null)
        // The comparison that an index answers comes first. A nil is before all values.
        switch (sort.isAscending, value == null) {
        case (true, true): return .or([try compared(.notEqual, null), rest])
        case (true, false):
            return .and([
                try compared(.greaterThanOrEqual, value),
                .or([try compared(.greaterThan, value), rest]),
            ])
        case (false, true): return .and([try compared(.equal, null), rest])
        case (false, false):
            return .or([
                try compared(.lessThan, value), try compared(.equal, null),
                .and([try compared(.equal, value), rest]),
            ])
        }
    }

    /// Checks that values of the sort keys can be compared and written.
    ///
    /// - Throws: `.predicate(.unsupported)`.
    static func check(_ sorts: [BoundSort]) throws(GraphError) {
        if sorts.contains(where: { $0.textOrder == .standard }) {
            throw refusal(
                "sort text by scalars, or without regard to case: no comparison has the order “standard”"
            )
        }
        if sorts.contains(where: { $0.path.type == .objectID }) {
            throw refusal("sort by attributes, not by a relationship")
        }
    }

    private static func refusal(_ advice: String) -> GraphError {
        .predicate(.unsupported(expression: "a page of a fetch", advice: "\(advice)."))
    }
}
