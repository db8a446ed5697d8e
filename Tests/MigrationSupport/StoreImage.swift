import Cairn
import CairnStore
import Foundation

/// The objects of a store, as plain values.
package struct StoreImage: Equatable {
    /// The identity of an object, independent of the store and the model with which it is read.
    package struct ID: Hashable, Comparable, CustomStringConvertible {
        package var entity: String
        package var key: Int64

        package init(entity: String, key: Int64) { (self.entity, self.key) = (entity, key) }

        package var description: String { "\(entity)/\(key)" }

        package static func < (left: ID, right: ID) -> Bool {
            (left.key, left.entity) < (right.key, right.entity)
        }
    }

    /// One object.
    package struct Object: Equatable {
        package var version: Int64
        package var values: [String: Value] = [:]
        /// The destinations of the to-one relationships that have one.
        package var toOnes: [String: ID] = [:]
        /// The members of the to-many relationships that have members, in order, or sorted if the
        /// relationship is unordered.
        package var toManys: [String: [ID]] = [:]

        package init(version: Int64) { self.version = version }
    }

    package var objects: [ID: Object] = [:]

    package init() {}

    /// Reads the newest state of a store.
    package init(_ store: any PersistentStore) throws {
        let snapshot = try store.snapshot()
        defer { snapshot.end() }
        let roots = try store.heldRoots
        for root in roots {
            let cursor = try snapshot.cursor(FetchPlan(entity: root))
            while let batch = try cursor.next(atMost: 500) {
                for row in batch.rows { try read(row, store.request, snapshot) }
            }
        }
        for entity in roots.flatMap(\.hierarchy) {
            for case .relationship(let relationship) in entity.ownProperties
            where relationship.isToMany && !relationship.isTransient {
                try readMembers(relationship, snapshot)
            }
        }
    }

    private mutating func read(
        _ row: Row, _ request: OpenRequest, _ snapshot: any StoreSnapshot
    ) throws {
        guard let layout = request.layouts.layout(of: row.entity) else { return }
        var object = Object(version: row.version)
        for (property, slot) in zip(layout.properties, layout.slots) where !row.isNull(slot) {
            if slot.kind == .toOne {
                object.toOnes[property.name] = ID(row.objectID(slot), request.model)
            } else if slot.kind == .externalBinary,
                case .reference(let reference) = row.externalBinary(slot)
            {
                object.values[property.name] = .binary(try snapshot.externalData(reference))
            } else {
                object.values[property.name] = row.value(slot)
            }
        }
        objects[ID(entity: layout.entity.name, key: row.key)] = object
    }

    private mutating func readMembers(
        _ relationship: Relationship, _ snapshot: any StoreSnapshot
    ) throws {
        let model = relationship.entity.model
        let cursor = try snapshot.cursor(
            FetchPlan(entity: relationship.entity, output: .ids))
        while let owners = try cursor.next(atMost: 200) {
            let related = try snapshot.relatedIDs(relationship, of: owners.ids)
            for (index, owner) in owners.ids.enumerated() {
                let members = related.range(ofOwnerAt: index).map {
                    ID(related.members[$0], model)
                }
                if members.isEmpty { continue }
                objects[ID(owner, model)]?.toManys[relationship.name] =
                    relationship.isOrdered ? members : members.sorted()
            }
        }
    }

    /// Returns readable descriptions of the differences from the expected image. Empty if the images are
    /// equal.
    package func differences(from expected: StoreImage) -> [String] {
        var lines: [String] = []
        for (id, object) in expected.objects.sorted(by: { $0.key < $1.key }) {
            guard let found = objects[id] else {
                lines.append("\(id) is missing")
                continue
            }
            if found.version != object.version { lines.append("\(id) has another version") }
            lines += Self.lines(id, found.values, object.values)
            lines += Self.lines(id, found.toOnes, object.toOnes)
            lines += Self.lines(id, found.toManys, object.toManys)
        }
        for id in objects.keys.sorted() where expected.objects[id] == nil {
            lines.append("\(id) should not be there")
        }
        return lines
    }

    private static func lines<Part: Equatable>(
        _ id: ID, _ found: [String: Part], _ expected: [String: Part]
    ) -> [String] {
        Set(found.keys).union(expected.keys).sorted().compactMap { name in
            guard found[name] != expected[name] else { return nil }
            let (is_, should) = (found[name].map { "\($0)" }, expected[name].map { "\($0)" })
            return "\(id).\(name) is \(is_ ?? "nil") instead of \(should ?? "nil")"
        }
    }
}

extension StoreImage.ID {
    init(_ id: ObjectID, _ model: ManagedObjectModel) {
        self.init(entity: model.entity(numbered: id.entity)?.name ?? "?", key: id.key)
    }
}

extension PersistentStore {
    /// The root entities of the objects that the store may contain.
    var heldRoots: [Entity] {
        get throws {
            let members = try request.model.entities(forConfiguration: request.configuration)
            let roots = Set(members.map(\.rootEntity.number))
            return request.model.entities.filter { roots.contains($0.number) }
        }
    }
}
