import CairnModel
import CairnRows
import CairnStore
import Foundation

/// The changes of one save, as bytes that another process can read, or this process after opening
/// the store again.
///
/// A ``StoreContent`` writes and applies records. Entities, relationships and metadata are identified
/// by name, so the bytes have the same meaning with every model that can open the store.
public struct ChangeRecord: Sendable {
    enum Field: String {
        /// In the record of a new store.
        case identifier
        /// In the record of a new store, and whenever the saver's model numbers entities
        /// differently than before: the entities by number, their hashes, the fingerprint of their
        /// rows, the fingerprint of each entity's rows, and the versions of the model.
        case entities, hashes, layout, layouts, versions
        /// The save's deletions, rows, pairs and metadata.
        case deleted, rows, pairs, values
        /// The name of the save, if it has a name.
        case save
        /// The lowest key that has never been assigned, by the name of the root entity.
        case nextKeys
        /// The save's transaction, if the store keeps a history, or a list of transactions of another
        /// store. Empty in the record of a new store with a history.
        case history
        /// The number and the mark of the position before which the history was purged.
        case purgedBefore
    }

    private var fields: [String: MetadataValue] = [:]

    init() {}

    /// Creates the record of a new store, with its identifier and the entities of the model.
    ///
    /// - Throws: `.unsupported` for a configuration that the model does not have, and for a derived
    ///   attribute that cannot be computed.
    public init(creatingStoreFor request: OpenRequest) throws(StoreError) {
        _ = try TableSchema(request)
        self[.identifier] = .string(request.identifierForNewStore)
        describe(request.layouts)
        if try request.options.tracksHistory() { self[.history] = .data(Data()) }
    }

    /// Parses a record. Returns `nil` if the bytes are not a record.
    public init?(bytes: [UInt8]) {
        let value = bytes.withUnsafeBytes { MetadataValue(bytes: $0) }
        guard case .dictionary(let fields)? = value else { return nil }
        self.fields = fields
    }

    /// The record as bytes, without a checksum.
    public var bytes: [UInt8] { MetadataValue.dictionary(fields).bytes }

    /// Returns the metadata that results from all records of a store. Needs no model, and does not
    /// read rows.
    public static func metadata(of records: [ChangeRecord], type: StoreType) -> StoreMetadata {
        var metadata = StoreMetadata(identifier: "", type: type, entityVersionHashes: [:])
        for record in records { record.apply(to: &metadata) }
        return metadata
    }

    /// Applies the save's changes to metadata.
    func apply(to metadata: inout StoreMetadata) {
        if let identifier = self[.identifier]?.text { metadata.identifier = identifier }
        if self[.entities] != nil {
            let names = list(.entities).compactMap(\.text)
            let hashes = list(.hashes).compactMap(\.data).map { VersionHash($0) }
            metadata.entityVersionHashes = Dictionary(
                zip(names, hashes), uniquingKeysWith: { $1 })
            metadata.modelVersionIdentifiers = list(.versions).compactMap(\.text)
        }
        metadata.values.merge(dictionary(.values)) { _, new in new }
    }

    /// Records the entities of a model.
    mutating func describe(_ layouts: RowLayouts) {
        let entities = StoredEntities(layouts)
        self[.entities] = .array(entities.names.map(MetadataValue.string))
        self[.hashes] = .array(layouts.model.entities.map { .data($0.versionHash.data) })
        self[.layout] = .integer(Int64(bitPattern: entities.fingerprint))
        self[.layouts] = .array(
            entities.layoutFingerprints.map { .integer(Int64(bitPattern: $0)) })
        self[.versions] = .array(
            layouts.model.description.versionIdentifiers.sorted().map(MetadataValue.string))
    }

    /// Returns the recorded entities, or `nil` if the model lays out rows differently.
    func entities(readWith layouts: RowLayouts) -> StoredEntities? {
        StoredEntities(
            names: list(.entities).compactMap(\.text),
            fingerprint: UInt64(bitPattern: self[.layout]?.integer ?? 0), readWith: layouts,
            layoutFingerprints: list(.layouts).map { UInt64(bitPattern: $0.integer ?? 0) })
    }

    // MARK: Fields

    subscript(field: Field) -> MetadataValue? {
        get { fields[field.rawValue] }
        set { fields[field.rawValue] = newValue }
    }

    /// Returns the elements of a list, or an empty array if there is no such field.
    func list(_ field: Field) -> [MetadataValue] { self[field]?.list ?? [] }

    /// Returns the entries of a dictionary, or an empty dictionary if there is no such field.
    func dictionary(_ field: Field) -> [String: MetadataValue] {
        if case .dictionary(let values)? = self[field] { values } else { [:] }
    }
}

extension MetadataValue {
    var list: [MetadataValue]? { if case .array(let values) = self { values } else { nil } }
    var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
    var text: String? { if case .string(let text) = self { text } else { nil } }
    var data: Data? { if case .data(let data) = self { data } else { nil } }
}

extension MetadataValue {
    /// Encodes a deletion: the name of the root entity, and the key.
    init?(_ id: ObjectID, in model: ManagedObjectModel) {
        guard let root = model.entity(numbered: id.rootEntity) else { return nil }
        self = .array([.string(root.name), .integer(id.key)])
    }

    /// Decodes a deletion and returns its object.
    func objectID(in content: StoreContent) -> ObjectID? {
        guard let list, list.count == 2, let name = list[0].text, let key = list[1].integer,
            let root = content.layouts.model.entity(named: name)
        else { return nil }
        return content.id(key, of: root)
    }

    /// Encodes the change of a pair: the kind, the relationship, both keys, and both order keys.
    init(_ change: PairChange) {
        let kinds: [PairChange.Kind: Int64] = [.insert: 0, .delete: 1, .reorder: 2]
        let orderKeys = [change.orderKey, change.inverseOrderKey]
        self = .array(
            [
                .integer(kinds[change.kind] ?? 0), .string(change.relationship.entity.name),
                .string(change.relationship.name), .integer(change.owner.key),
                .integer(change.member.key),
            ] + orderKeys.map { $0.map(MetadataValue.integer) ?? .array([]) })
    }

    /// Decodes the change of a pair.
    func pairChange(in content: StoreContent) -> PairChange? {
        guard let list, list.count == 7, let kind = list[0].integer, let entity = list[1].text,
            let name = list[2].text, let owner = list[3].integer, let member = list[4].integer,
            let kind = [0: PairChange.Kind.insert, 1: .delete, 2: .reorder][kind],
            let relationship = content.layouts.model.entity(named: entity)?.relationship(
                named: name)
        else { return nil }
        return PairChange(
            kind, relationship, owner: content.id(owner, of: relationship.entity),
            member: content.id(member, of: relationship.destination),
            orderKey: list[5].integer, inverseOrderKey: list[6].integer)
    }
}
