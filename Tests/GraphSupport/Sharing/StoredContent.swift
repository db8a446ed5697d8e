import Cairn
import CairnStore

/// Everything that stores contain, read from the engines' snapshots, without a coordinator's cache.
package struct StoredContent: Hashable, Sendable {
    package struct Object: Hashable, Sendable {
        package var entity: String
        package var version: Int64
        /// The index of the object's store.
        package var store: Int
        package var attributes: [String: SharedValue] = [:]
        package var ones: [String: SharedReference] = [:]
        package var manys: [String: [SharedReference]] = [:]

        package func value(_ name: String) -> SharedValue {
            attributes[name] ?? ones[name].map { .object($0) } ?? .null
        }
    }

    package private(set) var objects: [Int: Object] = [:]
    package private(set) var uris: [Int: String] = [:]
    /// What no store should contain: two objects with one number.
    package private(set) var duplicates: [Int] = []

    package init() {}

    /// Reads all objects of some entities.
    ///
    /// - Parameter known: The numbers of objects by URI. They identify objects that are no longer stored.
    package init(
        of stores: [any PersistentStore], _ model: SharedModel, _ shapes: Set<SharedModel.Shape>,
        known: [String: Int] = [:]
    ) throws {
        for (index, store) in stores.enumerated() { try read(store, index, model, shapes, known) }
    }

    private mutating func read(
        _ store: any PersistentStore, _ index: Int, _ shared: SharedModel,
        _ shapes: Set<SharedModel.Shape>, _ known: [String: Int]
    ) throws {
        let snapshot = try store.snapshot()
        defer { snapshot.end() }
        let model = store.request.model
        let layouts = store.request.layouts
        var numbers: [ObjectID: Int] = [:]
        var rows: [EntityNumber: [Row]] = [:]
        for root in model.entities where root.superentity == nil {
            guard shared.shapes[root.name].map(shapes.contains) ?? false else { continue }
            let cursor = try snapshot.cursor(FetchPlan(entity: root))
            while let batch = try cursor.next(atMost: 500) {
                for row in batch.rows {
                    rows[row.entity, default: []].append(row)
                    guard let slot = layouts.layout(of: row.entity)?.slot(named: shared.key) else {
                        continue
                    }
                    numbers[row.id] = Int(row.integer(slot))
                }
            }
        }
        func reference(_ id: ObjectID) -> SharedReference {
            if let number = numbers[id] { return .number(number) }
            let uri = id.uriRepresentation().absoluteString
            return known[uri].map { .number($0) } ?? .uri(uri)
        }
        for (number, rows) in rows {
            guard let entity = model.entity(numbered: number),
                let layout = layouts.layout(of: number)
            else { continue }
            var objects = rows.map { row in
                var object = Object(entity: entity.name, version: row.version, store: index)
                for (property, slot) in zip(layout.properties, layout.slots) {
                    if case .relationship = property {
                        if !row.isNull(slot) {
                            object.ones[property.name] = reference(row.objectID(slot))
                        }
                    } else {
                        object.attributes[property.name] =
                            row.isNull(slot) ? .null : .integer(row.integer(slot))
                    }
                }
                return object
            }
            for relationship in entity.relationships where relationship.isToMany {
                let related = try snapshot.relatedIDs(relationship, of: rows.map(\.id))
                for owner in rows.indices {
                    objects[owner].manys[relationship.name] =
                        related.members[related.range(ofOwnerAt: owner)].map(reference)
                }
            }
            for (row, object) in zip(rows, objects) {
                guard let number = numbers[row.id] else { continue }
                if self.objects.updateValue(object, forKey: number) != nil {
                    duplicates.append(number)
                }
                uris[number] = row.id.uriRepresentation().absoluteString
            }
        }
    }

    // MARK: Rules

    /// Returns what breaks the rules that every stored state must keep: references lead to objects, both
    /// sides of a relationship agree, and required relationships are set.
    package func violations(_ model: ManagedObjectModel) -> [String] {
        var found = duplicates.map { "\($0) is stored twice" }
        for (number, object) in objects {
            guard let entity = model.entity(named: object.entity) else { continue }
            for relationship in entity.relationships {
                let name = relationship.name
                let destinations = object.destinations(name)
                if Set(destinations).count != destinations.count {
                    found.append("\(number).\(name) has a member twice")
                }
                if !relationship.isToMany, !relationship.isOptional, destinations.isEmpty {
                    found.append("\(number).\(name) is required and nil")
                }
                for destination in destinations {
                    guard case .number(let other) = destination, let target = objects[other] else {
                        if !relationship.mayDangle {
                            found.append("\(number).\(name) leads to a missing object")
                        }
                        continue
                    }
                    guard let inverse = relationship.inverse else { continue }
                    if !target.destinations(inverse.name).contains(.number(number)) {
                        found.append(
                            "\(number).\(name) leads to \(other), whose \(inverse.name) does not lead back"
                        )
                    }
                }
            }
        }
        return found.sorted()
    }
}

extension StoredContent.Object {
    /// The destinations of a relationship.
    package func destinations(_ name: String) -> [SharedReference] {
        manys[name] ?? ones[name].map { [$0] } ?? []
    }

    /// Returns whether the relationship leads to an object.
    package func leads(to number: Int, by name: String) -> Bool {
        destinations(name).contains(.number(number))
    }
}
