import CairnModel
import CairnStore
import Foundation

/// The source of the objects' values for an evaluator: packed rows, or a context's objects.
///
/// The predicate compiler accesses objects only through this protocol, so that predicates have the
/// same meaning for both.
package protocol EvaluationSource {
    /// An object, or the row of an object.
    associatedtype Object
    /// The errors of reading and testing an object.
    associatedtype Failure: Error

    /// Returns the object's ID.
    func id(of object: Object) -> ObjectID

    /// Returns the value of a persistent attribute.
    func value(of attribute: Attribute, in object: Object) throws(Failure) -> Value

    /// Returns the ID in a to-one relationship, whether or not the object exists. Returns `nil` if
    /// the relationship is `nil`.
    func destination(
        of relationship: Relationship, in object: Object
    ) throws(Failure) -> ObjectID?

    /// Returns the members of a to-many relationship, in its order, or sorted by key if it is
    /// unordered.
    func members(of relationship: Relationship, in object: Object) throws(Failure) -> [ObjectID]

    /// Returns the object with the key of a reference, or `nil` if no object has the key.
    func object(referredToBy reference: Attribute, key: Value) throws(Failure) -> Object?

    /// Returns the object of each ID, in the order of `ids`, with `nil` for objects that do not
    /// exist.
    func objects(for ids: [ObjectID]) throws(Failure) -> [Object?]

    /// Returns the error to throw if an object cannot be tested because of `.matchingLimit`.
    func failure(for error: FetchPredicateError) -> Failure

    /// Returns a reader of the attribute, which may be faster than calling ``value(of:in:)``.
    func reader(
        of attribute: Attribute
    ) -> (Object, EvaluationContext<Self>) throws(Failure) -> Value
}

extension EvaluationSource {
    /// Returns `nil`, for a source without references.
    package func object(
        referredToBy reference: Attribute, key: Value
    ) throws(Failure) -> Object? { nil }

    /// Returns a reader that calls ``value(of:in:)`` for each object.
    package func reader(
        of attribute: Attribute
    ) -> (Object, EvaluationContext<Self>) throws(Failure) -> Value {
        { (object, context) throws(Failure) in
            try context.source.value(of: attribute, in: object)
        }
    }
}

/// The state of one evaluation: the source, and the current members of subqueries.
package final class EvaluationContext<Source: EvaluationSource> {
    let source: Source
    var variables: [Int: Source.Object] = [:]

    init(_ source: Source) { self.source = source }

    /// Returns whether as many values pass the test as the modifier requires.
    func holds(
        _ modifier: PredicateComparison.Modifier, _ values: [Value], _ test: ValueTest
    ) throws(Source.Failure) -> Bool {
        do {
            return try modifier.holds(values, test)
        } catch {
            throw source.failure(for: error)
        }
    }
}

/// A bound expression, such as that of a derived attribute, compiled for the objects of any source.
package final class ObjectExpression<Source: EvaluationSource> {
    private let reader: PredicateCompiler<Source>.Reader
    private let context: EvaluationContext<Source>

    /// Compiles the expression.
    ///
    /// - Throws: `.invalidRegularExpression` if the expression was not bound.
    package init(
        _ expression: BoundExpression, source: Source, now: Date = Date()
    ) throws(FetchPredicateError) {
        reader = try PredicateCompiler(source: source, now: now).reader(expression)
        context = EvaluationContext(source)
    }

    /// Returns the expression's value for the object.
    ///
    /// - Throws: the errors of the source.
    package func value(for object: Source.Object) throws(Source.Failure) -> Value {
        try reader(object, context)
    }
}

/// Sort keys compiled for the objects of any source.
///
/// In ascending order, `nil` comes first. Remaining ties are decided by root entity and key, so the
/// order is total.
package final class ObjectSorter<Source: EvaluationSource> {
    private struct Column {
        let sort: BoundSort
        let reader: PredicateCompiler<Source>.Reader
        /// Whether the values are sums, which may be integers or doubles.
        let isMixed: Bool
    }

    private let columns: [Column]
    private let context: EvaluationContext<Source>

    /// Compiles the sort keys, the most significant first.
    package init(_ sorts: [BoundSort], source: Source) {
        let compiler = PredicateCompiler(source: source, now: Date())
        columns = sorts.map {
            Column(
                sort: $0, reader: compiler.reader($0.path),
                isMixed: $0.path.collectionOperator == .sum)
        }
        context = EvaluationContext(source)
    }

    /// Returns the object's key, which can be compared with other keys of this sorter. For merging.
    ///
    /// - Throws: the errors of the source.
    package func key(of object: Source.Object) throws(Source.Failure) -> SortKey {
        var parts: [SortPart] = []
        for column in columns { parts.append(try part(column, object)) }
        return SortKey(parts: parts, id: context.source.id(of: object))
    }

    /// Returns the indices of the objects in sorted order.
    ///
    /// Each key is read once. Then pairs of key and index are sorted.
    ///
    /// - Throws: the errors of the source.
    package func sortedIndices(
        count: Int, object: (Int) -> Source.Object
    ) throws(Source.Failure) -> [Int] {
        var table = SortTable(count: count)
        for index in columns.indices {
            let parts = try parts(index, count, object)
            if index == 0 { table = SortTable(parts) } else { table.add(parts) }
        }
        return table.sortedIndices { context.source.id(of: object($0)) }
    }

    /// Returns the values of one sort key for all objects.
    func parts(
        _ index: Int, _ count: Int, _ object: (Int) -> Source.Object
    ) throws(Source.Failure) -> [SortPart] {
        var parts: [SortPart] = []
        parts.reserveCapacity(count)
        for objectIndex in 0..<count {
            parts.append(try part(columns[index], object(objectIndex)))
        }
        return parts
    }

    private func part(_ column: Column, _ object: Source.Object) throws(Source.Failure) -> SortPart
    {
        SortPart(try column.reader(object, context), column.sort, isMixed: column.isMixed)
    }
}

/// A bound predicate compiled for the objects of any source, such as a context's objects with their
/// unsaved values. It has the same meaning as a ``RowFilter``.
package final class ObjectFilter<Source: EvaluationSource> {
    private let test: PredicateCompiler<Source>.Test
    private let context: EvaluationContext<Source>

    /// Compiles the predicate.
    ///
    /// - Throws: `.invalidRegularExpression` if the predicate was not bound.
    package init(
        _ predicate: BoundPredicate, source: Source, now: Date = Date()
    ) throws(FetchPredicateError) {
        test = try PredicateCompiler(source: source, now: now).test(predicate)
        context = EvaluationContext(source)
    }

    /// Returns whether the object fulfils the predicate.
    ///
    /// - Throws: the errors of the source.
    package func matches(_ object: Source.Object) throws(Source.Failure) -> Bool {
        try test(object, context)
    }
}
