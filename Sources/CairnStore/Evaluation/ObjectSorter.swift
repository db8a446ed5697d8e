import CairnModel
import Foundation

/// Sort descriptors compiled for objects of any source.
///
/// nil comes first when ascending; ties end with root entity and key, so the order is total.
public final class ObjectSorter<Source: EvaluationSource> {
    private struct Column {
        let sort: BoundSort
        let reader: PredicateCompiler<Source>.Reader
        /// Whether sums may be integers or doubles.
        let isMixed: Bool
    }

    /// A row's first key and its place: all that most comparisons look at.
    private struct Entry {
        var rank: UInt32
        var index: UInt32
        var prefix: UInt64
    }

    private let columns: [Column]
    private let context: EvaluationContext<Source>

    /// Compiles the descriptors, the deciding one first.
    public init(_ sorts: [BoundSort], source: Source) {
        let compiler = PredicateCompiler(source: source, now: Date())
        columns = sorts.map {
            Column(
                sort: $0, reader: compiler.reader($0.path),
                isMixed: $0.path.collectionOperator == .sum)
        }
        context = EvaluationContext(source)
    }

    /// Returns the object's key, to be compared with others of this sorter: for merging.
    ///
    /// - Throws: what the source throws.
    public func key(of object: Source.Object) throws(Source.Failure) -> SortKey {
        var parts: [SortPart] = []
        for column in columns { parts.append(try part(column, object)) }
        return SortKey(parts: parts, id: context.source.id(of: object))
    }

    /// Returns the places of the objects in sorted order.
    ///
    /// Reads each key once, then sorts pairs of key and place.
    ///
    /// - Throws: what the source throws.
    public func sortedIndices(
        count: Int, object: (Int) -> Source.Object
    ) throws(Source.Failure) -> [Int] {
        var keys: [[SortPart]] = []
        for column in columns {
            var parts: [SortPart] = []
            parts.reserveCapacity(count)
            for index in 0..<count { parts.append(try part(column, object(index))) }
            keys.append(parts)
        }
        var entries: [Entry] = []
        entries.reserveCapacity(count)
        for index in 0..<count {
            let first = keys.first?[index]
            entries.append(
                Entry(
                    rank: first?.rank ?? 0, index: UInt32(truncatingIfNeeded: index),
                    prefix: first?.prefix ?? 0))
        }
        let ids = (0..<count).map { context.source.id(of: object($0)) }
        entries.sort { left, right in
            if left.rank != right.rank { return left.rank < right.rank }
            if left.prefix != right.prefix { return left.prefix < right.prefix }
            return Self.precedes(Int(left.index), Int(right.index), keys, ids)
        }
        return entries.map { Int($0.index) }
    }

    /// Decides between places whose first keys begin alike.
    private static func precedes(
        _ left: Int, _ right: Int, _ keys: [[SortPart]], _ ids: [ObjectID]
    ) -> Bool {
        for parts in keys {
            let order = SortPart.order(parts[left], parts[right])
            if order != 0 { return order < 0 }
        }
        return ValueOrder.order(ids[left], ids[right]) < 0
    }

    private func part(_ column: Column, _ object: Source.Object) throws(Source.Failure) -> SortPart
    {
        SortPart(try column.reader(object, context), column.sort, isMixed: column.isMixed)
    }
}

extension ObjectSorter where Source == RowSource {
    /// Compiles the descriptors for packed rows.
    ///
    /// - Parameter resolver: asked for the rows that relationships lead to.
    public convenience init(
        _ sorts: [BoundSort], layouts: RowLayouts, resolver: any RowResolver
    ) {
        self.init(sorts, source: RowSource(layouts: layouts, resolver: resolver))
    }

    /// Returns the rows of the batch in order.
    ///
    /// - Throws: what the resolver throws.
    public func sorted(_ batch: RowBatch) throws(StoreError) -> RowBatch {
        let order = try sortedIndices(count: batch.rowIndices.count) { batch[row: $0] }
        return RowBatch(order.lazy.map { batch[row: $0] })
    }
}

/// Sort descriptors compiled for packed rows.
public typealias RowSorter = ObjectSorter<RowSource>
