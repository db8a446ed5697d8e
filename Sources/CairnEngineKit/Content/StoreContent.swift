import CairnModel
import CairnRows
import CairnStore
import Foundation
import Synchronization

/// The whole content of a store in one state, in memory: rows, pairs, metadata and keys.
///
/// This is a value type. Its copies share everything that does not change: each snapshot keeps a
/// copy, and a save changes another. Fetches use indexes.
///
/// An engine that holds its rows in memory and stores records of the changes, for example in a log,
/// makes a content of the records when a store is opened. ``write(_:)`` then does everything that
/// the contract requires of a save, except making the save durable:
///
/// ```swift
/// var next = content
/// let (record, outcome) = try next.write(request)
/// // Make the bytes of the record durable, then make next visible to everyone.
/// ```
public struct StoreContent: Sendable {
    /// The store's number in the IDs of its objects.
    public let number: StoreNumber
    package var table: StoreTable
    /// The identifier, the hashes of the model, and the application's values. A codec of an atomic
    /// engine keeps all of them unchanged.
    public package(set) var metadata: StoreMetadata
    /// The lowest key that has never been assigned, by root entity. If a root entity is missing, its next key
    /// is 1.
    package var nextKeys: [EntityNumber: Int64] = [:]
    /// Whether a new key must be greater than the keys of all root entities. A file format needs this if its
    /// identifiers are unique in the whole store. See `StoreBuilder.shareKeys()`.
    package var sharesKeys = false
    /// The generation of the state. Each save increases it by 1. In an atomic store, it is 1 if the
    /// file does not contain it.
    public package(set) var generation: UInt64 = 1
    /// The names of the most recent named saves.
    public package(set) var saves = SaveRecord()
    /// The history of saves, or `nil` if the store keeps none.
    package var history: HistoryList?
    /// Whether the metadata records the entities of the model that the store was opened with, as after a
    /// save of this store. Another process may have used another model.
    package var recordsEntities = false
    /// The entities that the entity numbers in the next record's rows stand for. `nil` if they are
    /// the model's numbers.
    var entities: StoredEntities?
    /// The slabs that the rows of saves are copied to. All copies of the content share it.
    package var memory: ContentMemory

    /// The largest generation that a file may have. It leaves room for more saves than there will
    /// ever be, so the generation can be increased without an overflow check.
    package static let highestGeneration: UInt64 = 1 << 62

    /// Creates a content without rows.
    package init(_ schema: TableSchema, number: StoreNumber, metadata: StoreMetadata) {
        self.number = number
        self.metadata = metadata
        table = StoreTable(schema)
        memory = ContentMemory(store: number)
    }

    // MARK: Keys

    /// Reserves keys above all keys that were ever assigned or occur in the content, as described in
    /// `SaveTransaction.reserveKeys(_:)`.
    ///
    /// If a save reserves keys and is rolled back, store ``keysRecord``, so that the keys are never
    /// assigned again.
    ///
    /// - Throws: `.keysExhausted`; `.unsupported` for an entity that the store does not hold.
    public mutating func reserveKeys(
        _ counts: [EntityNumber: Int]
    ) throws(StoreError) -> [EntityNumber: Range<Int64>] {
        var keys: [EntityNumber: Range<Int64>] = [:]
        for (entity, count) in counts where count > 0 {
            try table.schema.held.require(entity)
            guard let root = table.schema.plan(of: entity, \.rootEntity) else { continue }
            guard let range = freeKeys(count, root: root) else {
                let name = layouts.model.entity(numbered: entity)?.name
                throw .keysExhausted(entity: name ?? "\(entity.rawValue)")
            }
            nextKeys[root] = range.upperBound
            keys[entity] = range
        }
        return keys
    }

    /// Returns `nil` if not enough keys are left.
    private func freeKeys(_ count: Int, root: EntityNumber) -> Range<Int64>? {
        let roots = sharesKeys ? table.schema.rootEntities : [root]
        let highest = roots.map(table.highestKey(root:)).max() ?? 0
        let (above, isLast) = highest.addingReportingOverflow(1)
        let first = roots.reduce(max(1, above)) { max($0, nextKeys[$1] ?? 1) }
        let (end, overflow) = first.addingReportingOverflow(Int64(count))
        return isLast || overflow ? nil : first..<end
    }

    /// Records that the keys below these were assigned elsewhere.
    package mutating func noteNextKeys(_ keys: [EntityNumber: Int64]) {
        nextKeys.merge(keys, uniquingKeysWith: max)
    }
}

// MARK: For codecs

extension StoreContent {
    /// The row layouts of the model that the store was opened with.
    public var layouts: RowLayouts { table.schema.layouts }

    /// All rows, sorted by root entity and key.
    public var rows: [Row] {
        table.schema.rootEntities.flatMap { root in
            let rows = table.rows(root: root)
            var all: [Row] = []
            all.reserveCapacity(rows.count)
            var position = rows.start
            while let (_, row) = rows.next(&position) { all.append(row) }
            return all
        }
    }

    /// The parts of relationships that are not in rows: the pairs of many-to-many relationships, each of them
    /// once, and the order keys of the members of ordered one-to-many relationships. All elements are
    /// insertions, so saving them to a new store creates the same pairs.
    public var pairs: [PairChange] {
        layouts.model.entities.flatMap(\.ownProperties).flatMap { property -> [PairChange] in
            guard case .relationship(let relationship) = property, relationship.isToMany,
                !relationship.isManyToMany || relationship.ownsPairs
            else { return [] }
            return pairs(of: relationship)
        }
    }

    private func pairs(of relationship: Relationship) -> [PairChange] {
        let (owners, members) = (relationship.entity, relationship.destination)
        return table.pairs(of: relationship).compactMap { pair in
            guard let owner = table.row(root: owners.rootEntity.number, key: pair.owner),
                let member = table.row(root: members.rootEntity.number, key: pair.member)
            else { return nil }
            return PairChange(
                .insert, relationship, owner: owner.id, member: member.id,
                orderKey: pair.orderKey, inverseOrderKey: pair.inverseOrderKey)
        }
    }

    /// The lowest key that has never been assigned, by the name of the root entity. If a name is missing, the
    /// next key is 1.
    public var nextKeysByName: [String: Int64] {
        var keys: [String: Int64] = [:]
        for (number, key) in nextKeys {
            if let entity = layouts.model.entity(numbered: number) { keys[entity.name] = key }
        }
        return keys
    }
}

/// The memory to which the rows of a store's saves are copied. Rows of several saves share a slab.
package final class ContentMemory: Sendable {
    private let writer: Mutex<RowWriter>

    init(store: StoreNumber) { writer = Mutex(RowWriter(store: store)) }

    /// Copies rows to memory that the store owns.
    func copy(_ rows: [Row]) -> RowBatch {
        writer.withLock { writer in
            for row in rows { writer.append(copyOf: row) }
            return writer.takeBatch()
        }
    }

    /// Adds stored rows.
    ///
    /// - Parameter entities: the entities that the entity numbers in the rows stand for.
    /// - Throws: the damage of the first row that is not valid. No row is added then.
    func append(_ rows: [Data], of entities: StoredEntities) throws(RowDamage) -> [Row] {
        var failure: RowDamage?
        let rows = writer.withLock { writer in
            for row in rows where failure == nil {
                row.withUnsafeBytes { bytes in
                    do throws(RowDamage) {
                        try entities.append(bytes, to: &writer)
                    } catch {
                        failure = error
                    }
                }
            }
            return Array(writer.takeBatch().rows)
        }
        if let failure { throw failure }
        return rows
    }
}
