import CairnModel
import CairnStore

/// Takes what a codec reads of a store.
public struct StoreBuilder: Sendable {
    /// What the codec read before.
    public let metadata: StoreMetadata
    /// The row layouts of the model that the store is opened with.
    public let layouts: RowLayouts
    /// Where the store is; for errors.
    public let location: StoreLocation
    /// The store's number in the IDs of its objects; what a `RowWriter` wants.
    public let number: StoreNumber
    private(set) var content: AtomicContent

    init(_ metadata: StoreMetadata, _ schema: TableSchema, _ request: OpenRequest) {
        self.metadata = metadata
        layouts = schema.layouts
        location = request.location
        number = StoreDirectory.shared.number(
            identifier: metadata.identifier, location: request.location, model: request.model)
        content = AtomicContent(table: RowTable(schema), metadata: metadata)
    }

    /// Adds objects.
    ///
    /// - Throws: `.corrupt` for a row of no concrete entity of the model, and for a second row of
    ///   one key.
    public mutating func add(_ rows: RowBatch) throws(StoreError) {
        for row in rows.rows {
            guard let entity = layouts.model.entity(numbered: row.entity), !entity.isAbstract,
                content.table.row(root: entity.rootEntity.number, key: row.key) == nil
            else {
                throw .corrupt(
                    location, place: "the object with key \(row.key)",
                    detail: "it is of no entity that has objects, or there twice")
            }
            content.table.set(row)
        }
    }

    /// Adds a pair of a many-to-many, or the place of a member in an ordered one-to-many. Nothing
    /// where one of the two objects was not added.
    public mutating func add(_ pair: PairChange) { content.table.apply(pair) }

    /// Takes the keys that were given, as ``AtomicContent/nextKeysByName`` says them.
    ///
    /// Names that the model does not have are left out.
    public mutating func setNextKeys(_ keys: [String: Int64]) {
        for (name, key) in keys {
            if let entity = layouts.model.entity(named: name) {
                content.nextKeys[entity.number] = key
            }
        }
    }

    /// Takes the store's count of saves.
    public mutating func setGeneration(_ generation: UInt64) { content.generation = generation }
}
