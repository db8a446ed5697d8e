import CairnModel
import CairnRows
import CairnStore
import Foundation

/// The whole content of a store in one state, which a codec turns into files.
public struct AtomicContent: Sendable {
    package var table: StoreTable
    /// The identifier, the hashes of the model, and the application's values. A codec keeps all of
    /// them unchanged.
    public package(set) var metadata: StoreMetadata
    /// The lowest key that has never been assigned, by root entity. If a root entity is missing, its next key
    /// is 1.
    package var nextKeys: [EntityNumber: Int64]
    /// Whether a new key must be greater than the keys of all root entities. A file format needs this if its
    /// identifiers are unique in the whole store. See ``StoreBuilder/shareKeys()``.
    public package(set) var sharesKeys: Bool
    /// The generation of the state. Each save increases it by 1. It is 1 if the file does not
    /// contain it.
    public package(set) var generation: UInt64
    /// The names of the most recent named saves.
    package var saves = SaveRecord()

    /// The largest generation that a file may have. It leaves room for more saves than there will
    /// ever be, so the generation can be increased without an overflow check.
    package static let highestGeneration: UInt64 = 1 << 62

    package init(
        table: StoreTable, metadata: StoreMetadata, nextKeys: [EntityNumber: Int64] = [:],
        sharesKeys: Bool = false, generation: UInt64 = 1
    ) {
        self.table = table
        self.metadata = metadata
        self.nextKeys = nextKeys
        self.sharesKeys = sharesKeys
        self.generation = generation
    }

    /// Creates the content of a new, empty store.
    package init(new type: StoreType, _ schema: TableSchema, identifier: String) {
        let model = schema.layouts.model
        self.init(
            table: StoreTable(schema),
            metadata: StoreMetadata(
                identifier: identifier, type: type,
                entityVersionHashes: model.entityVersionHashes,
                modelVersionIdentifiers: model.description.versionIdentifiers.sorted()))
    }
}

// MARK: For codecs

extension AtomicContent {
    /// The row layouts of the model that the store was opened with.
    public var layouts: RowLayouts { table.schema.layouts }

    /// The model in the form that a codec stores as ``AtomicHead/modelArchive``. It is created once and used
    /// for many saves.
    public var modelArchive: Data { table.schema.modelArchive }

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
