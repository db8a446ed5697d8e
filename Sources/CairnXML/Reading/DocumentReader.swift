import CairnAtomicStore
import CairnModel
import CairnStore
import Foundation

/// Reads a document's objects by a model into a table.
struct DocumentReader {
    private struct Place {
        let entity: EntityNumber
        let key: Int64
    }

    private let document: StoreDocument
    private var meanings: NameMeanings
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
        meanings = NameMeanings(document.names, names, table)
        self.names = names
        self.identifiers = identifiers
        self.table = table
        self.store = store
        self.location = location
    }

    /// - Throws: `.corrupt`, with the line.
    mutating func read() throws(StoreError) {
        try placeObjects()
        var writer = RowWriter(store: store)
        for object in document.objects { try write(object, &writer) }
        try load(writer.takeBatch())
        for object in document.objects { try readMembers(object) }
    }

    private mutating func placeObjects() throws(StoreError) {
        places.reserveCapacity(document.objects.count)
        var types: [Int: Entity] = [:]
        for object in document.objects {
            let name = document.names[object.type]
            guard let entity = types[object.type] ?? names.entity(name), !entity.isAbstract else {
                throw damage(object.line, "the model has no concrete entity “\(name)”")
            }
            types[object.type] = entity
            let key = identifiers.key(of: object.id, root: entity.rootEntity.number)
            let place = Place(entity: entity.number, key: key)
            guard places.updateValue(place, forKey: object.id) == nil else {
                throw damage(object.line, "the id z\(object.id) was there before")
            }
        }
    }

    // MARK: Rows

    private mutating func write(
        _ object: StoreDocument.Object, _ writer: inout RowWriter
    ) throws(StoreError) {
        guard let place = places[object.id],
            let layout = table.schema.layouts.layout(of: place.entity)
        else { return }
        let values = try values(of: object, layout)
        writer.begin(layout, key: place.key, version: object.version)
        for slot in layout.slots {
            switch values[Int(slot.index)] {
            case nil: break
            case .attribute(let index): try write(index, slot, layout, &writer)
            case .relationship(let index):
                let element = document.relationships[index]
                guard
                    case .toOne(_, let relationship) = meanings.relationship(
                        element.name, of: layout.entity), let id = element.ids.first
                else { continue }
                let destination = destination(document.numbers[id], of: relationship)
                writer.set(key: destination.key, entity: destination.entity, at: slot)
            }
        }
        writer.endRow()
    }

    /// What the document says of a slot: which of its elements.
    private enum SlotValue {
        case attribute(Int)
        case relationship(Int)
    }

    /// By slot; where the document says two things, the last.
    private mutating func values(
        of object: StoreDocument.Object, _ layout: RowLayout
    ) throws(StoreError) -> [SlotValue?] {
        var values = [SlotValue?](repeating: nil, count: layout.slots.count)
        for index in object.attributes {
            let element = document.attributes[index]
            switch meanings.attribute(element.name, of: layout.entity) {
            case .slot(let slot): values[slot] = .attribute(index)
            case .nowhere: break
            case .unknown: throw unknown(element.name, element.line, layout.entity)
            }
        }
        for index in object.relationships {
            let element = document.relationships[index]
            switch meanings.relationship(element.name, of: layout.entity) {
            case .toOne(let slot, _):
                if !element.ids.isEmpty { values[slot] = .relationship(index) }
            case .members, .nowhere: break
            case .unknown: throw unknown(element.name, element.line, layout.entity)
            }
        }
        return values
    }

    private func write(
        _ index: Int, _ slot: RowLayout.Slot, _ layout: RowLayout, _ writer: inout RowWriter
    ) throws(StoreError) {
        let element = document.attributes[index]
        let isRead: Bool
        do throws(RowError) {
            isRead = try document.texts.withUnsafeBufferPointer { texts throws(RowError) in
                try ValueText(
                    bytes: UnsafeBufferPointer(rebasing: texts[element.text]),
                    isEncoded: element.isEncoded
                ).write(to: &writer, at: slot, of: layout)
            }
        } catch {
            throw damage(element.line, "\(error)")
        }
        guard isRead else { throw noValue(element, slot, layout) }
    }

    private func noValue(
        _ element: StoreDocument.Attribute, _ slot: RowLayout.Slot, _ layout: RowLayout
    ) -> StoreError {
        guard case .attribute(let attribute) = layout.properties[Int(slot.index)] else {
            return unknown(element.name, element.line, layout.entity)
        }
        return damage(
            element.line,
            "the text is no \(attribute.type) value for “\(layout.entity.name).\(attribute.name)”")
    }

    /// An object that is not there keeps its reference, as it does in every other store.
    private func destination(_ id: Int64, of relationship: CairnModel.Relationship) -> ObjectID {
        let declared = relationship.destination
        let root = declared.rootEntity.number
        if let place = places[id],
            table.schema.layouts.layout(of: place.entity)?.entity.rootEntity.number == root
        {
            return ObjectID(store: store, rootEntity: root, entity: place.entity, key: place.key)
        }
        return ObjectID(
            store: store, rootEntity: root, entity: declared.number,
            key: identifiers.key(of: id, root: root))
    }

    /// Gives the table all rows, by root entity and key.
    private mutating func load(_ rows: RowBatch) throws(StoreError) {
        for root in table.schema.rootEntities {
            func key(_ place: Int) -> Int64 { rows.pointer(at: place).key }
            var own = rows.rowIndices.filter { rows.pointer(at: $0).rootEntity == root }
            let isSorted = zip(own, own.dropFirst()).allSatisfy { key($0) < key($1) }
            if !isSorted { own.sort { key($0) < key($1) } }
            for (place, next) in zip(own, own.dropFirst()) where key(place) == key(next) {
                throw damage(1, "two objects of a hierarchy have the key \(key(place))")
            }
            if !own.isEmpty { table.load(rows.selecting(own), root: root) }
        }
    }

    // MARK: Pairs and places

    private mutating func readMembers(_ object: StoreDocument.Object) throws(StoreError) {
        guard !object.relationships.isEmpty, let place = places[object.id],
            let entity = table.schema.layouts.layout(of: place.entity)?.entity
        else { return }
        let owner = ObjectID(
            store: store, rootEntity: entity.rootEntity.number, entity: entity.number,
            key: place.key)
        for index in object.relationships {
            let element = document.relationships[index]
            guard case .members(let relationship) = meanings.relationship(element.name, of: entity)
            else { continue }
            for (index, id) in element.ids.enumerated() {
                let orderKey =
                    element.hasOrderKeys
                    ? document.numbers[element.ids.upperBound + index] : Int64(index)
                table.apply(
                    PairChange(
                        .insert, relationship, owner: owner,
                        member: destination(document.numbers[id], of: relationship),
                        orderKey: relationship.isOrdered ? orderKey : nil))
            }
        }
    }

    // MARK: Damage

    private func unknown(_ name: Int, _ line: Int, _ entity: Entity) -> StoreError {
        damage(
            line,
            "the entity “\(entity.name)” has no property “\(document.names[name])” of that kind")
    }

    private func damage(_ line: Int, _ detail: String) -> StoreError {
        .corrupt(location, place: "line \(line)", detail: detail)
    }
}
