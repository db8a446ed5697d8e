import CairnModel
import CairnStore
import Foundation

/// All that a store holds in one state: what a codec turns into files.
public struct AtomicContent: Sendable {
    package var table: StoreTable
    /// Identifier, hashes of the model, application values: all to be kept as they are.
    public package(set) var metadata: StoreMetadata
    /// The first key that was never given, by root entity. An absent root entity means 1.
    package var nextKeys: [EntityNumber: Int64]
    /// Whether new keys are above the keys of all root entities. A form needs this if its
    /// identifiers are unique in the whole store. See ``StoreBuilder/shareKeys()``.
    public package(set) var sharesKeys: Bool
    /// The generation of the state. Each save increases it by 1. It is 1 if the file does not say.
    public package(set) var generation: UInt64
    /// The names of the last named saves.
    package var saves = SaveRecord()

    /// The largest generation that a file may have. More saves than there will ever be can follow it
    /// before the number overflows, so that it can be raised without a check.
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

    /// The content of a new store of the type.
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
    /// The row layouts of the model.
    public var layouts: RowLayouts { table.schema.layouts }

    /// The model, as a codec keeps it for ``AtomicHead/modelArchive``. Made once for many saves.
    public var modelArchive: Data { table.schema.modelArchive }

    /// Every row, by root entity and key.
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

    /// What rows do not contain of relationships: the pairs of many-to-manys, each once, and the
    /// order keys of members in ordered one-to-manys. These are insertions, so that saving them in
    /// a new store makes the same pairs.
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

    /// The first key that was never given, by name of the root entity. An absent name means 1.
    public var nextKeysByName: [String: Int64] {
        var keys: [String: Int64] = [:]
        for (number, key) in nextKeys {
            if let entity = layouts.model.entity(numbered: number) { keys[entity.name] = key }
        }
        return keys
    }
}
