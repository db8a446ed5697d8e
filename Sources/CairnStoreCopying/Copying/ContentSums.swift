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

/// A 64-bit hash of a sequence of words. It detects damage and mistakes, but does not protect
/// against deliberate changes.
struct ContentHash {
    private(set) var value: UInt64 = 0x9E37_79B9_7F4A_7C15

    /// Adds a word. The two halves of the product are combined, so that each bit of the word
    /// affects all bits of the hash.
    @inline(__always) mutating func add(_ word: UInt64) {
        let product = (value ^ word).multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
        value = (product.high ^ product.low) &+ 0x2545_F491_4F6C_DD1D
    }

    /// Adds bytes. Their number must be a multiple of 8.
    @inline(__always) mutating func add(_ bytes: UnsafeRawBufferPointer) {
        for offset in stride(from: 0, to: bytes.count & ~7, by: 8) {
            add(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
        }
    }
}

/// The values of an entity's rows that must be equal in two stores. These are all values except
/// those that a store computes, and bytes that it may keep in files.
struct RowSummary {
    private let layout: RowLayout
    /// `nil` if rows are compared byte for byte.
    private let slots: [RowLayout.Slot]?

    init(_ layout: RowLayout) {
        self.layout = layout
        let compared = zip(layout.properties, layout.slots).filter { property, slot in
            if case .attribute(let attribute) = property, attribute.isDerived { return false }
            return slot.kind != .externalBinary
        }.map(\.1)
        slots = compared.count == layout.slots.count ? nil : compared
    }

    /// Whether rows are compared byte for byte, so that ``hash(ofAll:)`` is enough.
    var comparesWholeRows: Bool { slots == nil }

    /// Returns a hash of a row.
    ///
    /// - Parameter writer: used to pack the compared values of rows that are not compared as a
    ///   whole.
    /// - Throws: `.unsupportedValue` for a row that would be too large.
    func hash(of row: Row, packing writer: inout RowWriter) throws(StoreError) -> UInt64 {
        guard let slots else { return row.withBytes { Self.hash(ofAll: $0) } }
        do {
            writer.begin(layout, key: row.key, version: row.version)
            for slot in slots { try writer.set(slot, from: row, at: slot) }
            writer.endRow()
        } catch {
            throw .unsupportedValue(
                entity: layout.entity.name, attribute: error.property, reason: error.reason)
        }
        return writer.takeRow()?.withBytes { Self.hash(ofAll: $0) } ?? 0
    }

    /// Returns the hash of a row that is compared byte for byte.
    @inline(__always) static func hash(ofAll bytes: UnsafeRawBufferPointer) -> UInt64 {
        var hash = ContentHash()
        hash.add(bytes)
        return hash.value
    }
}
