import CairnAtomicStore
import CairnModel
import CairnStore
import Foundation

/// Reads a document's objects by a model into a table.
struct DocumentReader {
    private struct Place {
        let entity: Entity
        let key: Int64
    }

    private let document: StoreDocument
    private let names: NameTable
    private let identifiers: ObjectIdentifiers
    private let store: StoreNumber
    private let location: StoreLocation
    private(set) var table: RowTable
    /// By identifier.
    private var places: [Int64: Place] = [:]

    init(
        _ document: StoreDocument, names: NameTable, identifiers: ObjectIdentifiers,
        table: RowTable, store: StoreNumber, location: StoreLocation
    ) {
        self.document = document
        self.names = names
        self.identifiers = identifiers
        self.table = table
        self.store = store
        self.location = location
    }

    /// - Throws: `.corrupt`, with the line.
    mutating func read() throws(StoreError) {
        for object in document.objects { try place(object) }
        var writer = RowWriter(store: store)
        for object in document.objects { try write(object, &writer) }
        for row in writer.takeBatch().rows {
            guard table.row(root: row.rootEntity, key: row.key) == nil else {
                throw damage(1, "two objects of a hierarchy have the key \(row.key)")
            }
            table.set(row)
        }
        for object in document.objects { try readMembers(object) }
    }

    private mutating func place(_ object: StoreDocument.Object) throws(StoreError) {
        guard let entity = names.entity(object.type), !entity.isAbstract else {
            throw damage(object.line, "the model has no concrete entity “\(object.type)”")
        }
        let key = identifiers.key(of: object.id, root: entity.rootEntity.number)
        guard places.updateValue(Place(entity: entity, key: key), forKey: object.id) == nil else {
            throw damage(object.line, "the id z\(object.id) was there before")
        }
    }

    // MARK: Rows

    private func write(
        _ object: StoreDocument.Object, _ writer: inout RowWriter
    ) throws(StoreError) {
        guard let place = places[object.id] else { return }
        let layout = table.schema.layouts.layout(of: place.entity)
        let values = try values(of: object, layout)
        writer.begin(layout, key: place.key, version: object.version)
        for slot in layout.slots {
            guard let value = values[Int(slot.index)] else { continue }
            do throws(RowError) {
                try writer.set(value, at: slot, of: layout)
            } catch {
                throw damage(object.line, "\(error)")
            }
        }
        writer.endRow()
    }

    /// By slot.
    private func values(
        of object: StoreDocument.Object, _ layout: RowLayout
    ) throws(StoreError) -> [Int: Value] {
        var values: [Int: Value] = [:]
        for attribute in object.attributes {
            guard case .attribute(let found)? = names.property(attribute.name, of: layout.entity)
            else { throw unknown(attribute.name, attribute.line, layout.entity) }
            guard let index = found.rowSlot else { continue }
            guard let value = ValueText.value(attribute, layout.slots[index].kind) else {
                throw damage(
                    attribute.line,
                    "the text is no \(found.type) value for “\(layout.entity.name).\(found.name)”")
            }
            values[index] = value
        }
        for element in object.relationships {
            let relationship = try relationship(element, layout.entity)
            guard let index = relationship.rowSlot, let id = element.ids.first else { continue }
            values[index] = .objectID(destination(id, of: relationship))
        }
        return values
    }

    private func relationship(
        _ element: StoreDocument.Relationship, _ entity: Entity
    ) throws(StoreError) -> CairnModel.Relationship {
        guard case .relationship(let found)? = names.property(element.name, of: entity) else {
            throw unknown(element.name, element.line, entity)
        }
        return found
    }

    /// An object that is not there keeps its reference, as it does in every other store.
    private func destination(_ id: Int64, of relationship: CairnModel.Relationship) -> ObjectID {
        let root = relationship.destination.rootEntity.number
        if let place = places[id], place.entity.rootEntity.number == root {
            return ObjectID(
                store: store, rootEntity: root, entity: place.entity.number, key: place.key)
        }
        return ObjectID(
            store: store, rootEntity: root, entity: relationship.destination.number,
            key: identifiers.key(of: id, root: root))
    }

    // MARK: Pairs and places

    private mutating func readMembers(_ object: StoreDocument.Object) throws(StoreError) {
        guard let place = places[object.id] else { return }
        let owner = ObjectID(
            store: store, rootEntity: place.entity.rootEntity.number,
            entity: place.entity.number, key: place.key)
        for element in object.relationships where !element.ids.isEmpty {
            let relationship = try relationship(element, place.entity)
            guard relationship.isToMany, !relationship.isTransient else { continue }
            for (index, id) in element.ids.enumerated() {
                let orderKey = element.orderKeys.map { $0[index] } ?? Int64(index)
                table.apply(
                    PairChange(
                        .insert, relationship, owner: owner,
                        member: destination(id, of: relationship),
                        orderKey: relationship.isOrdered ? orderKey : nil))
            }
        }
    }

    // MARK: Damage

    private func unknown(_ name: String, _ line: Int, _ entity: Entity) -> StoreError {
        damage(line, "the entity “\(entity.name)” has no property “\(name)” of that kind")
    }

    private func damage(_ line: Int, _ detail: String) -> StoreError {
        .corrupt(location, place: "line \(line)", detail: detail)
    }
}
