import CairnModel
import CairnStore

/// What objects and pairs come to, in a form that is equal for equal contents in any order.
///
/// Two contents of a store that differ have different sums, but for one case in 2⁶⁴. Values that a store
/// computes and bytes that it may keep in files are left out.
struct ContentSums {
    /// How many parts were added, and what they come to.
    struct Sum: Equatable {
        private(set) var count = 0
        private var total: UInt64 = 0

        mutating func add(_ hash: UInt64) {
            count += 1
            total &+= hash
        }
    }

    private let store: StoreNumber
    /// By entity number from 1 at index 0.
    private let summaries: [RowSummary]
    /// Which of them compare whole rows.
    private let comparesWholeRows: [Bool]
    /// The objects of each entity, by its number from 1 at index 0.
    private var rows: [Sum]
    /// The pairs of each relationship.
    private var pairs: [Relationship: Sum] = [:]
    /// The positions of the members of each ordered relationship.
    private var positions: [Relationship: Sum] = [:]

    /// Creates the sums of an empty store.
    init(of store: StoreNumber, _ layouts: RowLayouts) {
        self.store = store
        summaries = layouts.model.entities.map { RowSummary(layouts.layout(of: $0)) }
        comparesWholeRows = summaries.map(\.comparesWholeRows)
        rows = Array(repeating: Sum(), count: summaries.count)
    }

    /// Returns what the objects of exactly an entity come to.
    func objects(of entity: EntityNumber) -> Sum { rows[Int(entity.rawValue) - 1] }

    /// Returns what the pairs of a relationship come to.
    func pairs(of relationship: Relationship) -> Sum { pairs[relationship] ?? Sum() }

    /// Returns what the positions of the members of an ordered relationship come to.
    func positions(of relationship: Relationship) -> Sum { positions[relationship] ?? Sum() }

    // MARK: Adding

    /// Adds objects.
    ///
    /// - Throws: `.unsupportedValue` for a row that would be too large.
    mutating func add(_ batch: RowBatch) throws(StoreError) {
        var writer = RowWriter(store: store)
        for rowIndex in batch.rowIndices {
            // The batch keeps the row, so that hashing it counts no references.
            let row = batch.pointer(at: rowIndex)
            let index = Int(row.entity.rawValue) - 1
            let hash =
                comparesWholeRows[index]
                ? RowSummary.hash(ofAll: row.allBytes)
                : try summaries[index].hash(of: batch[row: rowIndex], packing: &writer)
            rows[index].add(hash)
        }
    }

    /// Adds pairs and positions that a store is told.
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

    /// Adds the pairs and positions that a store has.
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
