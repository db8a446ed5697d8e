import CairnAtomicStore
import CairnModel
import CairnRows
import CairnStore
import Foundation

/// Reads a document's objects into a store, by means of a model.
struct DocumentReader {
    /// The entity and the key of an object, according to the model and the object's identifier.
    private struct ResolvedObject {
        let root: EntityNumber
        let entity: EntityNumber
        let key: Int64
    }

    private let document: StoreDocument
    private var meanings: NameMeanings
    private let names: NameTable
    private let identifiers: ObjectIdentifiers
    private let layouts: RowLayouts
    private let number: StoreNumber
    private let location: StoreLocation
    /// The resolved objects, by the index of the object in the document.
    private var resolved: [ResolvedObject] = []
    /// The indices of the objects in the document, by identifier.
    private var objects: [Int64: Int] = [:]
    /// Whether every identifier is enough to know its object's root entity.
    private var areIdentifiersPlain = true
    /// For each name in the document, the index of the last object that has an element with this name.
    private var lastOwners: [Int]
    /// The values of the object whose row is being written, by slot.
    private var values: [SlotValue?] = []

    init(_ document: StoreDocument, identifiers: ObjectIdentifiers, of store: StoreBuilder) {
        self.document = document
        self.identifiers = identifiers
        layouts = store.layouts
        number = store.number
        location = store.location
        names = NameTable(layouts.model)
        meanings = NameMeanings(document.names, names, layouts.model)
        lastOwners = Array(repeating: -1, count: document.names.count)
    }

    /// Reads all objects into the store.
    ///
    /// - Throws: `.corrupt`, with the line.
    mutating func read(into store: inout StoreBuilder) throws(StoreError) {
        try resolveObjects()
        var writer = RowWriter(store: number)
        for index in document.objects.indices { try write(index, &writer, store) }
        try load(writer.takeBatch(), into: &store)
        for index in document.objects.indices { try readMembers(index, into: &store) }
    }

    private mutating func resolveObjects() throws(StoreError) {
        resolved.reserveCapacity(document.objects.count)
        objects.reserveCapacity(document.objects.count)
        // Numbers, because copying an entity counts references to its model.
        var types: [(root: EntityNumber, entity: EntityNumber)?] = Array(
            repeating: nil, count: document.names.count)
        for (index, object) in document.objects.enumerated() {
            if types[object.type] == nil,
                let entity = names.entity(document.names[object.type]), !entity.isAbstract
            {
                types[object.type] = (entity.rootEntity.number, entity.number)
            }
            guard let (root, entity) = types[object.type] else {
                throw damage(
                    object.line,
                    "the model has no concrete entity “\(document.names[object.type])”")
            }
            let key = identifiers.key(of: object.id, root: root)
            resolved.append(ResolvedObject(root: root, entity: entity, key: key))
            if !identifiers.names(root: root, object.id) { areIdentifiersPlain = false }
            guard objects.updateValue(index, forKey: object.id) == nil else {
                throw damage(object.line, "another object already has the id z\(object.id)")
            }
        }
    }

    // MARK: Rows

    private mutating func write(
        _ index: Int, _ writer: inout RowWriter, _ store: borrowing StoreBuilder
    ) throws(StoreError) {
        let object = resolved[index]
        guard let layout = layouts.layout(of: object.entity) else { return }
        try readValues(of: index, layout, store)
        writer.begin(layout, key: object.key, version: document.objects[index].version)
        for (slot, value) in zip(layout.slots, values) {
            switch value {
            case nil: break
            case .attribute(let index): try write(index, slot, layout, &writer)
            case .toOne(let id, let destination, let element):
                guard let found = self.destination(id, meanings.destinations[destination]) else {
                    throw wrongDestination(id, element, layout.entity)
                }
                writer.set(key: found.key, entity: found.entity, at: slot)
            }
        }
        writer.endRow()
    }

    /// The value of a slot in the document.
    private enum SlotValue {
        /// The index of the attribute's element.
        case attribute(Int)
        case toOne(Int64, destination: Int, element: Int)
    }

    private mutating func readValues(
        of index: Int, _ layout: RowLayout, _ store: borrowing StoreBuilder
    ) throws(StoreError) {
        let (owner, object) = (index, document.objects[index])
        if values.count != layout.slots.count {
            values = Array(repeating: nil, count: layout.slots.count)
        } else {
            for slot in values.indices { values[slot] = nil }
        }
        for index in object.attributes {
            let element = document.attributes[index]
            try noteName(Int(element.name), of: owner, line: Int(element.line))
            switch meanings.attribute(Int(element.name), of: layout.entity) {
            case .slot(let slot):
                guard values[slot] == nil else {
                    throw twice(Int(element.name), Int(element.line))
                }
                values[slot] = .attribute(index)
            case .nowhere: break
            case .unknown: throw unknown(Int(element.name), Int(element.line), layout.entity)
            }
        }
        for index in object.relationships {
            let element = document.relationships[index]
            try noteName(element.name, of: owner, line: element.line)
            switch meanings.relationship(element.name, of: layout.entity, in: store) {
            case .toOne(let slot, let destination):
                guard let id = element.ids.first else { break }
                guard element.ids.count == 1 else {
                    throw damage(
                        element.line,
                        "the to-one relationship “\(document.names[element.name])” has several"
                            + " destinations")
                }
                guard values[slot] == nil else { throw twice(element.name, element.line) }
                values[slot] = .toOne(
                    document.numbers[id], destination: destination, element: index)
            case .members, .nowhere: break
            case .unknown: throw unknown(element.name, element.line, layout.entity)
            }
        }
    }

    private func write(
        _ index: Int, _ slot: RowLayout.Slot, _ layout: RowLayout, _ writer: inout RowWriter
    ) throws(StoreError) {
        let element = document.attributes[index]
        let isRead: Bool
        do {
            isRead = try document.texts.withUnsafeBufferPointer { texts throws(RowError) in
                try ValueText(
                    bytes: UnsafeBufferPointer(
                        rebasing: texts[document.text(ofAttribute: index)]),
                    isEncoded: element.isEncoded
                ).write(to: &writer, at: slot, of: layout)
            }
        } catch {
            throw damage(Int(element.line), "\(error)")
        }
        guard isRead else { throw noValue(element, slot, layout) }
    }

    private func noValue(
        _ element: StoreDocument.Attribute, _ slot: RowLayout.Slot, _ layout: RowLayout
    ) -> StoreError {
        guard case .attribute(let attribute) = layout.properties[Int(slot.index)] else {
            return unknown(Int(element.name), Int(element.line), layout.entity)
        }
        return damage(
            Int(element.line),
            "the text is not a value of type \(attribute.type) for"
                + " “\(layout.entity.name).\(attribute.name)”")
    }

    /// Returns the object with an identifier, or `nil` if the object's entity is not a destination of the
    /// relationship.
    ///
    /// A reference to an object that does not exist is kept, as in all other stores.
    private func destination(
        _ id: Int64, _ declared: NameMeanings.Destination
    ) -> (entity: EntityNumber, key: Int64)? {
        let key = identifiers.key(of: id, root: declared.root)
        // If the hierarchy contains only one entity, the identifier is enough.
        if declared.isOnly, areIdentifiersPlain, identifiers.names(root: declared.root, id) {
            return (declared.entity, key)
        }
        guard let index = objects[id] else { return (declared.entity, key) }
        guard declared.entities.contains(resolved[index].entity) else { return nil }
        return (resolved[index].entity, key)
    }

    /// Throws an error if the object already has an element with this name.
    private mutating func noteName(
        _ name: Int, of owner: Int, line: Int
    ) throws(StoreError) {
        if lastOwners[name] == owner { throw twice(name, line) }
        lastOwners[name] = owner
    }

    private func twice(_ name: Int, _ line: Int) -> StoreError {
        damage(line, "“\(document.names[name])” occurs twice in one object")
    }

    private func wrongDestination(
        _ id: Int64, _ element: Int, _ entity: Entity
    ) -> StoreError {
        let element = document.relationships[element]
        return damage(
            element.line,
            "“\(entity.name).\(document.names[element.name])” leads to z\(id), an object of another"
                + " entity")
    }

    /// Loads all rows into the store, by root entity and key.
    private func load(
        _ rows: RowBatch, into store: inout StoreBuilder
    ) throws(StoreError) {
        // Each object has exactly one row, so the index of an object is also the index of its row.
        for root in layouts.model.entities where root.superentity == nil {
            var own = resolved.indices.filter { resolved[$0].root == root.number }
            let isSorted = zip(own, own.dropFirst()).allSatisfy {
                resolved[$0].key < resolved[$1].key
            }
            if !isSorted { own.sort { resolved[$0].key < resolved[$1].key } }
            guard let first = own.first, let last = own.last else { continue }
            // In files that this engine wrote, the objects of a root entity are consecutive.
            let areTogether = isSorted && last - first == own.count - 1
            try store.load(
                areTogether ? rows.slice(first..<last + 1) : rows.selecting(own), of: root)
        }
    }

    // MARK: Pairs and order keys

    private mutating func readMembers(
        _ index: Int, into store: inout StoreBuilder
    ) throws(StoreError) {
        let (elements, object) = (document.objects[index].relationships, resolved[index])
        guard !elements.isEmpty, let entity = layouts.layout(of: object.entity)?.entity
        else { return }
        for index in elements {
            let element = document.relationships[index]
            guard
                case .members(let toMany, let destination) = meanings.relationship(
                    element.name, of: entity, in: store)
            else { continue }
            let relationship = meanings.toManys[toMany]
            let declared = meanings.destinations[destination]
            let owner = ObjectID(
                store: number, rootEntity: object.root, entity: object.entity, key: object.key)
            for (index, id) in element.ids.enumerated() {
                let orderKey =
                    element.hasOrderKeys
                    ? document.numbers[element.ids.upperBound + index] : Int64(index)
                guard let member = self.destination(document.numbers[id], declared) else {
                    throw damage(
                        element.line,
                        "“\(entity.name).\(relationship.name)” has z\(document.numbers[id]), an"
                            + " object of another entity, among its members")
                }
                let change = PairChange(
                    .insert, relationship, owner: owner,
                    member: ObjectID(
                        store: number, rootEntity: declared.root, entity: member.entity,
                        key: member.key),
                    orderKey: relationship.isOrdered ? orderKey : nil)
                try store.add(change, from: "line \(element.line)")
            }
        }
    }

    // MARK: Errors

    private func unknown(_ name: Int, _ line: Int, _ entity: Entity) -> StoreError {
        damage(
            line,
            "the entity “\(entity.name)” has no property “\(document.names[name])” of that kind")
    }

    private func damage(_ line: Int, _ detail: String) -> StoreError {
        .corrupt(location, location: "line \(line)", detail: detail)
    }
}
