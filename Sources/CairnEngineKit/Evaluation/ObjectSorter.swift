import CairnModel
import CairnStore
import Foundation

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
