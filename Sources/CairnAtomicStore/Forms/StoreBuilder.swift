import CairnModel
import CairnStore

/// Takes what a codec reads of a store, and refuses what no save can have written.
///
/// Each method takes the position that the codec read from: the name of a file, a line, or both. The
/// errors name it, so that a person finds the damage.
public struct StoreBuilder: Sendable {
    /// What the codec read before.
    public let metadata: StoreMetadata
    /// The row layouts of the model that the store is opened with.
    public let layouts: RowLayouts
    /// Where the store is, for errors.
    public let location: StoreLocation
    /// The store's number in the IDs of its objects, which a `RowWriter` wants.
    public let number: StoreNumber
    private(set) var content: AtomicContent
    private let references: ReferenceCheck
    private var pairChecks: [Relationship: PairCheck] = [:]

    init(_ metadata: StoreMetadata, _ schema: TableSchema, _ request: OpenRequest) {
        self.metadata = metadata
        layouts = schema.layouts
        location = request.location
        number = StoreDirectory.shared.number(
            identifier: metadata.identifier, location: request.location, model: request.model)
        content = AtomicContent(table: RowTable(schema), metadata: metadata)
        references = ReferenceCheck(schema.layouts)
    }

    /// Adds objects.
    ///
    /// - Parameter position: where the codec read the rows. `nil` if it cannot say; errors then name
    ///   the object alone.
    /// - Throws: `.corrupt` for a row of no concrete entity of the model, for a key or version that
    ///   is not greater than 0, for a second row with the same key, and for a to-one that leads to a
    ///   key that is not greater than 0 or to an entity that is not its destination.
    public mutating func add(
        _ rows: RowBatch, from position: String? = nil
    ) throws(StoreError) {
        for row in rows.rows {
            if let fault = fault(of: row) {
                let name = layouts.model.entity(numbered: row.entity)?.name ?? "unknown object"
                throw .corrupt(
                    location, place: position ?? "\(name) \(row.key)",
                    detail: "\(name) \(row.key): \(fault)")
            }
            content.table.set(row)
        }
    }

    private func fault(of row: Row) -> String? {
        guard let entity = layouts.model.entity(numbered: row.entity),
            entity.rootEntity.number == row.rootEntity
        else { return "the model does not have its entity" }
        if entity.isAbstract { return "its entity is abstract" }
        if row.key < 1 { return "its key is not above 0" }
        if row.id.store != number { return "its ID is of another store" }
        if row.version < 1 { return "its version is not above 0" }
        if content.table.row(root: row.rootEntity, key: row.key) != nil {
            return "another object has its key"
        }
        return withExtendedLifetime(row) { references.fault(in: row.pointer) }
    }

    /// Adds a pair of a many-to-many, or the order key of a member in an ordered one-to-many. Has no
    /// effect if one of the two objects was not added before.
    ///
    /// - Parameter position: where the codec read the pair. `nil` if it cannot say.
    /// - Throws: `.corrupt` for an object that cannot stand on its side of the relationship, and for
    ///   a relationship of which the model keeps no pairs.
    public mutating func add(
        _ pair: PairChange, from position: String? = nil
    ) throws(StoreError) {
        let (schema, relationship) = (content.table.schema, pair.relationship)
        let name = "\(relationship.entity.name).\(relationship.name)"
        let check = pairChecks[relationship] ?? PairCheck(relationship, in: schema)
        pairChecks[relationship] = check
        let fault =
            check.map { content.table.add(pair, checkedBy: $0) }
            ?? "the model keeps no pairs of “\(name)”"
        if let fault {
            throw .corrupt(location, place: position ?? "a pair of “\(name)”", detail: fault)
        }
    }

    /// Takes the keys that were given, as ``AtomicContent/nextKeysByName`` says them.
    ///
    /// Names that the model does not have are left out.
    ///
    /// - Throws: `.corrupt` for a key that is not greater than 0.
    public mutating func setNextKeys(
        _ keys: [String: Int64], from position: String? = nil
    ) throws(StoreError) {
        for (name, key) in keys {
            guard key > 0 else {
                throw .corrupt(
                    location, place: position ?? "the next keys",
                    detail: "the next key of “\(name)” is \(key)")
            }
            if let entity = layouts.model.entity(named: name) {
                content.nextKeys[entity.number] = key
            }
        }
    }

    /// Takes the store's count of saves.
    ///
    /// - Throws: `.corrupt` for a number that no store can reach.
    public mutating func setGeneration(
        _ generation: UInt64, from position: String? = nil
    ) throws(StoreError) {
        guard generation <= AtomicContent.highestGeneration else {
            throw .corrupt(
                location, place: position ?? "the generation",
                detail: "the generation \(generation) is not a count of saves")
        }
        content.generation = generation
    }
}
