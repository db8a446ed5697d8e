import CairnModel
import Foundation

/// What one save changed, as bytes that say it to another process or after the store is opened again.
///
/// A ``StoreContent`` writes records and reads them. Entities, relationships and metadata are named, so
/// the bytes mean the same with every model that can open the store.
public struct ChangeRecord: Sendable {
    enum Field: String {
        /// Of a new store.
        case identifier
        /// Of a new store, and wherever the saver's model numbers entities in another way than before:
        /// the entities by number, their hashes, the fingerprint of their rows, the model's versions.
        case entities, hashes, layout, versions
        /// What the save deletes, its rows, its pairs and its metadata.
        case deleted, rows, pairs, values
        /// The name of the save, if it has one.
        case save
        /// The first key that was never given, by name of the root entity.
        case nextKeys
        /// What the saver's numbers stand for, by name of the root entity: numbers, each with its
        /// reference after it.
        case references
    }

    private var fields: [String: MetadataValue] = [:]

    init() {}

    /// The record that creates a store: its identifier, and the entities of the model.
    public init(creatingStoreFor request: OpenRequest) {
        self[.identifier] = .string(request.identifierForNewStore)
        describe(request.layouts)
    }

    /// Reads a record. Returns `nil` if the bytes are not a record.
    public init?(bytes: [UInt8]) {
        let value = bytes.withUnsafeBytes { MetadataValue(bytes: $0) }
        guard case .dictionary(let fields)? = value else { return nil }
        self.fields = fields
    }

    /// The record as bytes, without a checksum.
    public var bytes: [UInt8] { MetadataValue.dictionary(fields).bytes }

    /// Returns what all records of a store say of it: without a model, and without reading rows.
    public static func metadata(of records: [ChangeRecord], type: StoreType) -> StoreMetadata {
        var metadata = StoreMetadata(identifier: "", type: type, entityVersionHashes: [:])
        for record in records { record.apply(to: &metadata) }
        return metadata
    }

    /// Changes metadata as the save did.
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
        self[.versions] = .array(
            layouts.model.description.versionIdentifiers.sorted().map(MetadataValue.string))
    }

    /// Returns the entities that were recorded. Returns `nil` if the model lays out rows differently.
    func entities(readWith layouts: RowLayouts) -> StoredEntities? {
        StoredEntities(
            names: list(.entities).compactMap(\.text),
            fingerprint: UInt64(bitPattern: self[.layout]?.integer ?? 0), readWith: layouts)
    }

    // MARK: Fields

    subscript(field: Field) -> MetadataValue? {
        get { fields[field.rawValue] }
        set { fields[field.rawValue] = newValue }
    }

    /// The members of a list. Empty if there is no such field.
    func list(_ field: Field) -> [MetadataValue] { self[field]?.list ?? [] }

    /// The entries of a dictionary. Empty if there is no such field.
    func dictionary(_ field: Field) -> [String: MetadataValue] {
        if case .dictionary(let values)? = self[field] { values } else { [:] }
    }
}
