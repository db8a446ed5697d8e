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
    /// The relationship of the pair that was added last: pairs mostly come together.
    private var latestPairs: (relationship: Relationship, check: PairCheck?)?

    init(_ metadata: StoreMetadata, _ schema: TableSchema, _ request: OpenRequest) {
        self.metadata = metadata
        layouts = schema.layouts
        location = request.location
        number = StoreDirectory.shared.number(
            identifier: metadata.identifier, location: request.location, model: request.model)
        content = AtomicContent(table: StoreTable(schema), metadata: metadata)
        references = ReferenceCheck(schema.layouts)
    }

    // MARK: Rows

    /// Adds objects in any order.
    ///
    /// - Parameter position: where the codec read the rows. `nil` if it cannot say; errors then name
    ///   the object alone.
    /// - Throws: `.corrupt` for a row of no concrete entity of the model, for a key or version that
    ///   is not greater than 0, for a second row with the same key, and for a to-one that leads to a
    ///   key that is not greater than 0 or to an entity that is not its destination.
    public mutating func add(
        _ rows: RowBatch, from position: @autoclosure () -> String? = nil
    ) throws(StoreError) {
        for row in rows.rows {
            let fault =
                fault(ofEntityIn: row.pointer) ?? fault(ofValuesIn: row.pointer)
                ?? fault(ofStoreIn: row.id.store)
                ?? (content.table.row(root: row.rootEntity, key: row.key) == nil
                    ? nil : "another object has its key")
            if let fault { throw damage(fault, in: row.pointer, position()) }
            content.table.set(row)
        }
    }

    /// Adds objects of one inheritance hierarchy, in the order of their keys. Costs a fraction of what
    /// `add(_:from:)` does: the rows stay where the batch has them, and indexes are made when they
    /// are used.
    ///
    /// Call this as often as you like; the keys of each call are above those of the calls before. Some
    /// 1,000 rows at a time are best: they are then checked while the processor's cache has them.
    ///
    /// - Parameter position: where the codec read the rows. `nil` if it cannot say.
    /// - Throws: `.corrupt` as `add(_:from:)`, and for a key that is not greater than the one before.
    public mutating func load(
        _ rows: RowBatch, of root: Entity, from position: @autoclosure () -> String? = nil
    ) throws(StoreError) {
        var last = content.table.highestKey(root: root.number)
        // What was found out of the row before holds for the next one, if it agrees with that.
        var (slab, concrete): (Int?, EntityNumber?)
        for index in rows.rowIndices {
            let row = rows.pointer(at: index)
            let rowSlab = rows.address(at: index).slab
            if rowSlab != slab || row.entity != concrete {
                let fault =
                    fault(ofStoreIn: rows.slab(at: rowSlab).store) ?? fault(ofEntityIn: row)
                if let fault { throw damage(fault, in: row, position()) }
                (slab, concrete) = (rowSlab, row.entity)
            }
            let fault =
                if row.rootEntity != root.number {
                    "its entity is not below “\(root.name)”"
                } else if row.key <= last, row.key > 0 {
                    "its key is not above \(last), that of the row before"
                } else {
                    self.fault(ofValuesIn: row)
                }
            if let fault { throw damage(fault, in: row, position()) }
            last = row.key
        }
        content.table.load(rows, root: root.number)
    }

    private func fault(ofStoreIn store: StoreNumber) -> String? {
        store == number ? nil : "its ID is of another store"
    }

    private func fault(ofEntityIn row: RowPointer) -> String? {
        guard let entity = layouts.model.entity(numbered: row.entity),
            entity.rootEntity.number == row.rootEntity
        else { return "the model does not have its entity" }
        return entity.isAbstract ? "its entity is abstract" : nil
    }

    /// - Precondition: the model has the row's entity.
    private func fault(ofValuesIn row: RowPointer) -> String? {
        if row.key < 1 { return "its key is not above 0" }
        if row.version < 1 { return "its version is not above 0" }
        return references.fault(in: row)
    }

    private func damage(
        _ fault: String, in row: RowPointer, _ position: String?
    ) -> StoreError {
        let name = layouts.model.entity(numbered: row.entity)?.name ?? "unknown object"
        return .corrupt(
            location, location: position ?? "\(name) \(row.key)",
            detail: "\(name) \(row.key): \(fault)")
    }

    // MARK: Pairs

    /// Whether the store keeps pairs of a relationship: those of a many-to-many, or the order keys of
    /// an ordered one-to-many. Pairs of other relationships are refused.
    public func keepsPairs(of relationship: Relationship) -> Bool {
        content.table.schema.keepsPairs(of: relationship)
    }

    /// Adds a pair of a many-to-many, or the order key of a member in an ordered one-to-many. Has no
    /// effect if one of the two objects was not added before.
    ///
    /// - Parameter position: where the codec read the pair. `nil` if it cannot say.
    /// - Throws: `.corrupt` for an object that cannot be on its side of the relationship, and for
    ///   a relationship of which the model keeps no pairs.
    public mutating func add(
        _ pair: PairChange, from position: @autoclosure () -> String? = nil
    ) throws(StoreError) {
        let relationship = pair.relationship
        if latestPairs?.relationship != relationship {
            latestPairs = (relationship, PairCheck(relationship, in: content.table.schema))
        }
        let fault: String?
        if let check = latestPairs?.check {
            fault = content.table.add(pair, checkedBy: check)
        } else {
            fault =
                "the model keeps no pairs of “\(relationship.entity.name).\(relationship.name)”"
        }
        if let fault {
            throw .corrupt(
                location,
                location: position()
                    ?? "a pair of “\(relationship.entity.name).\(relationship.name)”",
                detail: fault)
        }
    }

    // MARK: Numbers

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
                    location, location: position ?? "the next keys",
                    detail: "the next key of “\(name)” is \(key)")
            }
            if let entity = layouts.model.entity(named: name) {
                content.nextKeys[entity.number] = key
            }
        }
    }

    /// Has new keys be above those of all root entities, for a form whose identifiers are unique in the
    /// whole store. ``AtomicContent/sharesKeys`` tells when the store is written.
    public mutating func shareKeys() { content.sharesKeys = true }

    /// Takes the store's count of saves.
    ///
    /// - Throws: `.corrupt` for a number that no store can reach.
    public mutating func setGeneration(
        _ generation: UInt64, from position: String? = nil
    ) throws(StoreError) {
        guard generation <= AtomicContent.highestGeneration else {
            throw .corrupt(
                location, location: position ?? "the generation",
                detail: "the generation \(generation) is not a count of saves")
        }
        content.generation = generation
    }
}
