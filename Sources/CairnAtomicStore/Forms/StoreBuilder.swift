import CairnEngineKit
import CairnModel
import CairnRows
import CairnStore

/// Collects the content that a codec reads from a store, and refuses content that no save can have written.
///
/// Each method takes the position that the codec read from: the name of a file, a line, or both.
/// Errors contain this position, so that a person can find the damage.
public struct StoreBuilder: Sendable {
    /// The metadata that the codec has read.
    public let metadata: StoreMetadata
    /// The row layouts of the model that the store is opened with.
    public let layouts: RowLayouts
    /// The store's location, for errors.
    public let location: StoreLocation
    /// The store's number in the IDs of its objects. Pass it to `RowWriter`.
    public let number: StoreNumber
    private(set) var content: StoreContent
    private let references: ReferenceCheck
    /// The relationship of the last pair that was added. Pairs of one relationship usually follow
    /// each other.
    private var latestPairs: (relationship: Relationship, check: PairCheck?)?

    init(_ metadata: StoreMetadata, _ schema: TableSchema, _ request: OpenRequest) {
        self.metadata = metadata
        layouts = schema.layouts
        location = request.location
        number = StoreDirectory.shared.number(
            identifier: metadata.identifier, location: request.location, model: request.model)
        content = StoreContent(schema, number: number, metadata: metadata)
        references = ReferenceCheck(schema.layouts)
    }

    // MARK: Rows

    /// Adds objects in any order.
    ///
    /// - Parameters:
    ///   - rows: the rows to add, written with ``layouts`` and with the store number ``number``.
    ///   - position: where the codec read the rows, or `nil` if it cannot tell. Errors then name
    ///     only the object.
    /// - Throws: `.corrupt` for a row whose entity is abstract or not in the model, for a key or
    ///   version that is not greater than 0, for a second row with the same key, and for a to-one
    ///   relationship that leads to a key that is not greater than 0 or to an entity that is not
    ///   its destination.
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

    /// Adds objects of one inheritance hierarchy in the order of their keys. This costs a fraction
    /// of `add(_:from:)`: the rows are not copied out of the batch, and indexes are created when
    /// they are first used.
    ///
    /// This method can be called repeatedly. The keys of each call must be greater than those of
    /// the calls before. Pass about 1,000 rows at a time, which are then checked while they are in
    /// the processor's cache.
    ///
    /// - Parameters:
    ///   - rows: the rows to add, in the order of their keys.
    ///   - root: the root entity of the hierarchy.
    ///   - position: where the codec read the rows, or `nil` if it cannot tell.
    /// - Throws: `.corrupt`, like `add(_:from:)`, and also for a key that is not greater than the previous
    ///   key.
    public mutating func load(
        _ rows: RowBatch, of root: Entity, from position: @autoclosure () -> String? = nil
    ) throws(StoreError) {
        var last = content.table.highestKey(root: root.number)
        // The results for the previous row also apply to the next row if it has the same slab and
        // entity.
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
                    "its entity does not inherit from “\(root.name)”"
                } else if row.key <= last, row.key > 0 {
                    "its key is not greater than \(last), the key of the previous row"
                } else {
                    self.fault(ofValuesIn: row)
                }
            if let fault { throw damage(fault, in: row, position()) }
            last = row.key
        }
        content.table.load(rows, root: root.number)
    }

    private func fault(ofStoreIn store: StoreNumber) -> String? {
        store == number ? nil : "its ID belongs to another store"
    }

    private func fault(ofEntityIn row: RowPointer) -> String? {
        guard let entity = layouts.model.entity(numbered: row.entity),
            entity.rootEntity.number == row.rootEntity
        else { return "the model does not have its entity" }
        return entity.isAbstract ? "its entity is abstract" : nil
    }

    /// - Precondition: the model has the row's entity.
    private func fault(ofValuesIn row: RowPointer) -> String? {
        if row.key < 1 { return "its key is not greater than 0" }
        if row.version < 1 { return "its version is not greater than 0" }
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

    /// Returns whether the store keeps pairs of a relationship: the pairs of a many-to-many
    /// relationship, or the order keys of an ordered one-to-many relationship. Pairs of other
    /// relationships are refused.
    package func keepsPairs(of relationship: Relationship) -> Bool {
        content.table.schema.keepsPairs(of: relationship)
    }

    /// Adds a pair of a many-to-many relationship, or the order key of a member of an ordered
    /// one-to-many relationship. Has no effect if one of the two objects has not been added before.
    ///
    /// - Parameters:
    ///   - pair: the pair to add.
    ///   - position: where the codec read the pair, or `nil` if it cannot tell.
    /// - Throws: `.corrupt` if an object cannot be on its side of the relationship, or if the store
    ///   keeps no pairs of the relationship.
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
                "the store keeps no pairs of “\(relationship.entity.name).\(relationship.name)”"
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

    /// Sets the next keys, in the form of `StoreContent.nextKeysByName`.
    ///
    /// Names that the model does not have are ignored.
    ///
    /// - Throws: `.corrupt` for a key that is not greater than 0.
    public mutating func setNextKeys(
        _ keys: [String: Int64], from position: String? = nil
    ) throws(StoreError) {
        for (name, key) in keys {
            guard key > 0 else {
                throw .corrupt(
                    location, location: position ?? "the next keys",
                    detail: "the next key of “\(name)” is \(key), which is not greater than 0")
            }
            if let entity = layouts.model.entity(named: name) {
                content.nextKeys[entity.number] = key
            }
        }
    }

    /// Makes new keys greater than the keys of all root entities, for a form whose identifiers are
    /// unique in the whole store. When the store is written, `StoreContent.sharesKeys` is
    /// `true`.
    package mutating func shareKeys() { content.sharesKeys = true }

    /// Sets the store's generation, which counts its saves.
    ///
    /// - Throws: `.corrupt` for a number that no store can reach.
    public mutating func setGeneration(
        _ generation: UInt64, from position: String? = nil
    ) throws(StoreError) {
        guard generation <= StoreContent.highestGeneration else {
            throw .corrupt(
                location, location: position ?? "the generation",
                detail: "the generation \(generation) is too large to be a number of saves")
        }
        content.generation = generation
    }
}

/// Checks the destinations of to-one relationships that a codec has read. Every reference that a
/// save writes passes the check.
///
/// A reference may lead to an object without a row, because saves leave such references, too.
package struct ReferenceCheck: Sendable {
    private struct ToOne: Sendable {
        let slot: RowLayout.Slot
        let destinations: Range<EntityNumber>
        /// The names of the entity and the property, for errors.
        let name: String
    }

    /// Indexed by entity number minus 1.
    private let toOnes: [[ToOne]]

    /// Resolves the to-one relationships of all entities.
    package init(_ layouts: RowLayouts) {
        toOnes = layouts.model.entities.map { entity in
            let layout = layouts.layout(of: entity)
            return zip(layout.properties, layout.slots).compactMap { property, slot in
                guard case .relationship(let relationship) = property else { return nil }
                return ToOne(
                    slot: slot, destinations: relationship.destination.hierarchyNumbers,
                    name: "\(entity.name).\(relationship.name)")
            }
        }
    }

    /// Returns which to-one relationship of a row cannot have been saved, and why. Returns `nil` if
    /// all of them are valid.
    package func fault(in row: RowPointer) -> String? {
        for toOne in toOnes[Int(row.entity.rawValue) - 1] where !row.isNull(toOne.slot) {
            let id = row.objectID(toOne.slot, in: StoreNumber(rawValue: 0))
            if id.key < 1 {
                return "“\(toOne.name)” leads to the key \(id.key), which is not greater than 0"
            }
            if !toOne.destinations.contains(id.entity) {
                return "“\(toOne.name)” leads to an object of another entity"
            }
        }
        return nil
    }
}

/// Checks the pairs of one relationship that a codec has read. Every pair that a save writes passes
/// the check.
package struct PairCheck: Sendable {
    /// The objects that may be on one side of the relationship.
    private struct Side: Sendable {
        let root: EntityNumber
        let entities: Range<EntityNumber>

        /// If an inverse is declared by a superentity of the destination, all entities below that
        /// superentity are allowed.
        init(_ entity: Entity, or other: Entity?) {
            root = entity.rootEntity.number
            let (own, others) = (entity.hierarchyNumbers, (other ?? entity).hierarchyNumbers)
            entities =
                min(own.lowerBound, others.lowerBound)..<max(own.upperBound, others.upperBound)
        }
    }

    private let name: String
    private let owners: Side
    private let members: Side

    /// Resolves a relationship. Returns `nil` if the table keeps no pairs of it.
    package init?(_ relationship: Relationship, in schema: TableSchema) {
        guard schema.memberIndexes(of: relationship) != nil else { return nil }
        name = "\(relationship.entity.name).\(relationship.name)"
        owners = Side(relationship.entity, or: relationship.inverse?.destination)
        members = Side(relationship.destination, or: relationship.inverse?.entity)
    }

    /// Returns why the IDs of a pair cannot have been saved, or `nil` if they are valid.
    fileprivate func fault(of pair: PairChange) -> String? {
        for (id, side) in [(pair.owner, owners), (pair.member, members)] {
            if id.key < 1 {
                return "a pair of “\(name)” contains the key \(id.key), which is not greater than 0"
            }
            if id.rootEntity != side.root { return wrongEntity }
        }
        return nil
    }

    /// Returns why objects of these entities cannot be a pair, or `nil` if they can.
    fileprivate func fault(owner: EntityNumber, member: EntityNumber) -> String? {
        owners.entities.contains(owner) && members.entities.contains(member) ? nil : wrongEntity
    }

    private var wrongEntity: String { "a pair of “\(name)” contains an object of another entity" }
}

extension StoreTable {
    /// Adds a pair that a codec has read. Has no effect if one of the two objects has no row.
    ///
    /// - Returns: the reason if the pair cannot have been saved. The pair is not added then. `nil`
    ///   if the pair is valid.
    package mutating func add(_ pair: PairChange, checkedBy check: PairCheck) -> String? {
        if let fault = check.fault(of: pair) { return fault }
        guard let owner = row(root: pair.owner.rootEntity, key: pair.owner.key),
            let member = row(root: pair.member.rootEntity, key: pair.member.key)
        else { return nil }
        if let fault = check.fault(owner: owner.entity, member: member.entity) { return fault }
        apply(pair, to: member)
        return nil
    }
}
