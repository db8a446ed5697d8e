import CairnModel
import CairnRows
import CairnStore

/// Checksums of objects and pairs that do not depend on their order.
///
/// If the contents of two stores differ, so do their sums, except in one of 2⁶⁴ cases. Values that
/// a store computes, and bytes that it may keep in files, are not included.
struct ContentSums {
    /// The number of parts that were added, and the sum of their hashes.
    struct Sum: Equatable {
        private(set) var count = 0
        private var total: UInt64 = 0

        mutating func add(_ hash: UInt64) {
            count += 1
            total &+= hash
        }
    }

    private let store: StoreNumber
    /// Indexed by entity number minus 1.
    private let summaries: [RowSummary]
    /// Whether the summary at the same index compares whole rows.
    private let comparesWholeRows: [Bool]
    /// The sums of the objects of each entity, indexed by entity number minus 1.
    private var rows: [Sum]
    /// The sums of the pairs of each relationship.
    private var pairs: [Relationship: Sum] = [:]
    /// The sums of the positions of members, for each ordered relationship.
    private var positions: [Relationship: Sum] = [:]

    /// Creates the sums of an empty store.
    init(of store: StoreNumber, _ layouts: RowLayouts) {
        self.store = store
        summaries = layouts.model.entities.map { RowSummary(layouts.layout(of: $0)) }
        comparesWholeRows = summaries.map(\.comparesWholeRows)
        rows = Array(repeating: Sum(), count: summaries.count)
    }

    /// Returns the sum of the objects of an entity, without its subentities.
    func objects(of entity: EntityNumber) -> Sum { rows[Int(entity.rawValue) - 1] }

    /// Returns the sum of the pairs of a relationship.
    func pairs(of relationship: Relationship) -> Sum { pairs[relationship] ?? Sum() }

    /// Returns the sum of the positions of members in an ordered relationship.
    func positions(of relationship: Relationship) -> Sum { positions[relationship] ?? Sum() }

    // MARK: Adding

    /// Adds objects.
    ///
    /// - Throws: `.unsupportedValue` for a row that would be too large.
    mutating func add(_ batch: RowBatch) throws(StoreError) {
        var writer = RowWriter(store: store)
        for rowIndex in batch.rowIndices {
            // The batch keeps the row alive, so hashing it needs no reference counting.
            let row = batch.pointer(at: rowIndex)
            let index = Int(row.entity.rawValue) - 1
            let hash =
                comparesWholeRows[index]
                ? RowSummary.hash(ofAll: row.allBytes)
                : try summaries[index].hash(of: batch[row: rowIndex], packing: &writer)
            rows[index].add(hash)
        }
    }

    /// Adds pairs and positions as they are saved to a store.
    mutating func add(_ changes: [PairChange]) {
        guard let first = changes.first else { return }
        let relationship = first.relationship
        var (pairs, positions) = (pairs(of: relationship), positions(of: relationship))
        let inverse = relationship.isManyToMany ? relationship.inverse : nil
        var inversePositions = inverse.map(self.positions) ?? Sum()
        for change in changes {
            let (owner, member) = (change.owner.key, change.member.key)
            if case .insert = change.kind { pairs.add(Self.hash(owner, member)) }
            if let key = change.orderKey { positions.add(Self.hash(owner, member, key)) }
            if let key = change.inverseOrderKey {
                inversePositions.add(Self.hash(member, owner, key))
            }
        }
        self.pairs[relationship] = pairs
        self.positions[relationship] = positions
        if let inverse { self.positions[inverse] = inversePositions }
    }

    /// Adds pairs and positions as they are read from a store.
    mutating func add(_ related: RelatedIDs, of owners: [ObjectID], by relationship: Relationship) {
        var (pairs, positions) = (pairs(of: relationship), positions(of: relationship))
        for (index, owner) in owners.enumerated() where index < related.count {
            for member in related.range(ofOwnerAt: index) {
                let key = related.members[member].key
                pairs.add(Self.hash(owner.key, key))
                guard relationship.isOrdered, related.orderKeys.indices.contains(member) else {
                    continue
                }
                positions.add(Self.hash(owner.key, key, related.orderKeys[member]))
            }
        }
        self.pairs[relationship] = pairs
        self.positions[relationship] = positions
    }

    private static func hash(_ near: Int64, _ far: Int64, _ position: Int64? = nil) -> UInt64 {
        var hash = ContentHash()
        hash.add(UInt64(bitPattern: near))
        hash.add(UInt64(bitPattern: far))
        if let position { hash.add(UInt64(bitPattern: position)) }
        return hash.value
    }
}
