import Cairn
import CairnStore
import Foundation

/// The objects of a whole store as values, from which they can be created again in another store.
struct GraphLoader: Sendable {
    /// One object: its attributes, and the destinations of its relationships.
    private struct Item: Sendable {
        let entity: String
        let id: ObjectID
        let attributes: [(name: String, value: Value)]
        let toOnes: [(name: String, destination: ObjectID)]
        let toManys: [(relationship: Relationship, members: [ObjectID])]
    }

    private let items: [Item]

    /// The number of objects.
    var count: Int { items.count }

    /// Reads all objects of a store.
    ///
    /// - Throws: `StoreError`.
    init(_ store: any PersistentStore) throws {
        let snapshot = try store.snapshot()
        defer { snapshot.end() }
        let reader = ObjectReader(snapshot: snapshot, layouts: store.request.layouts)
        var items: [Item] = []
        try reader.forEach { items.append(try Self.item($0, snapshot)) }
        self.items = items
    }

    private static func item(
        _ object: ObjectReader.Object, _ snapshot: any StoreSnapshot
    ) throws(StoreError) -> Item {
        var attributes: [(String, Value)] = []
        var toOnes: [(String, ObjectID)] = []
        for (property, slot) in zip(object.layout.properties, object.layout.slots)
        where !object.row.isNull(slot) {
            switch property {
            case .attribute(let attribute) where !attribute.isDerived:
                attributes.append((attribute.name, try object.value(slot, from: snapshot)))
            case .relationship: toOnes.append((property.name, object.row.objectID(slot)))
            default: break
            }
        }
        // Unordered one-to-many relationships are set through their inverse to-ones.
        let toManys = object.members.filter {
            $0.relationship.isOrdered
                || $0.relationship.isManyToMany && $0.relationship.ownsPairs
        }
        return Item(
            entity: object.layout.entity.name, id: object.row.id, attributes: attributes,
            toOnes: toOnes, toManys: toManys.map { ($0.relationship, $0.ids) })
    }

    /// Inserts the objects into a context. Does not save.
    ///
    /// - Throws: `GraphError`.
    func load(into context: ManagedObjectContext) throws(GraphError) {
        var objects: [ObjectID: ManagedObject] = [:]
        objects.reserveCapacity(items.count)
        for item in items {
            let object = try context.insertNewObject(forEntityName: item.entity)
            for (name, value) in item.attributes { try object.setValue(value, forKey: name) }
            objects[item.id] = object
        }
        for item in items {
            guard let object = objects[item.id] else { continue }
            for (name, destination) in item.toOnes {
                try object.setValue(objects[destination], forKey: name)
            }
            for (relationship, ids) in item.toManys {
                let members = ids.compactMap { objects[$0] }
                if relationship.isOrdered {
                    try object.orderedObjects(relationship.name).replaceAll(with: members)
                } else {
                    let set = try object.objects(relationship.name)
                    for member in members { try set.insert(member) }
                }
            }
        }
    }
}

/// A coordinator with one store, and a context.
struct Stack {
    let coordinator: PersistentStoreCoordinator
    let store: any PersistentStore
    let context: ContextHandle

    /// Opens a store of the engine with a type: only this call differs between engines.
    init(
        model: ManagedObjectModel, type: StoreType, url: URL?, options: StoreOptions = [:]
    ) throws {
        coordinator = PersistentStoreCoordinator(managedObjectModel: model, registry: .builtIn)
        store = try coordinator.addPersistentStore(
            ofType: type, configurationName: nil, at: url, options: options)
        context = ContextHandle(source: coordinator)
    }

    private init(_ other: Stack) {
        coordinator = other.coordinator
        store = other.store
        context = ContextHandle(source: other.coordinator)
    }

    /// Returns a stack with the same store and a new context, which contains no objects.
    func withFreshContext() -> Stack { Stack(self) }
}
