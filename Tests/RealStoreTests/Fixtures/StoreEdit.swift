import Cairn
import Foundation

/// Edits a store of any model in every way: inserts, updates, links and deletes objects.
struct StoreEdit {
    /// A record of the edits, for later checks.
    struct Log: Sendable {
        var inserted: [ObjectID] = []
        /// The updated objects, each with its previous version.
        var updated: [(id: ObjectID, previousVersion: Int64)] = []
        var deleted: [ObjectID] = []
        var relatedPairs = 0
    }

    let context: ManagedObjectContext
    /// The names of entities of which no objects are created.
    var omitted: Set<String> = []
    private(set) var log = Log()
    private var number = 9_000

    init(_ context: ManagedObjectContext) { self.context = context }

    private var concreteEntities: [Entity] {
        context.managedObjectModel.entities.filter {
            !$0.isAbstract && !omitted.contains($0.name)
        }
    }

    /// Inserts one object of each concrete entity with all required values, and links the objects.
    mutating func insertOneOfEach(named id: SaveID? = nil) throws {
        var made: [ManagedObject] = []
        for entity in concreteEntities { made.append(try insert(entity)) }
        if let id { try context.save(named: id) } else { try context.save() }
        log.inserted += made.map(\.objectID)
    }

    /// Inserts an object of an entity with all required values.
    mutating func insertOne(of name: String) throws {
        let entity = context.managedObjectModel.entity(named: name)
        if let entity { log.inserted.append(try insert(entity).objectID) }
        try context.save()
    }

    /// Inserts an object of the entity, together with the objects that it requires.
    private mutating func insert(_ entity: Entity) throws -> ManagedObject {
        let object = try insertBare(entity)
        for relationship in entity.relationships
        where !relationship.isTransient && !relationship.isOptional {
            try relate(object, relationship, depth: 0)
        }
        return object
    }

    private mutating func relate(
        _ object: ManagedObject, _ relationship: Relationship, depth: Int
    ) throws {
        let isSet =
            relationship.isToMany
            ? try !object.memberIDs(of: relationship).isEmpty
            : try object.value(forKey: relationship.name) != nil
        guard !isSet, depth < 4 else { return }
        let concrete = relationship.destination.hierarchy.first {
            !$0.isAbstract && !omitted.contains($0.name)
        }
        guard let concrete else { return }
        // The inverse may also be required. This relationship sets it, so the recursion ends.
        let destination = try insertBare(concrete)
        try set(object, relationship, to: destination)
        for other in concrete.relationships where !other.isTransient && !other.isOptional {
            try relate(destination, other, depth: depth + 1)
        }
    }

    private mutating func insertBare(_ entity: Entity) throws -> ManagedObject {
        number += 1
        let object = try context.insertNewObject(forEntityName: entity.name)
        for attribute in entity.attributes
        where !attribute.isTransient && !attribute.isDerived {
            let value = PlausibleValues(number: number).value(for: attribute)
            try object.set(value, for: attribute)
        }
        return object
    }

    private mutating func set(
        _ object: ManagedObject, _ relationship: Relationship, to other: ManagedObject
    ) throws {
        if !relationship.isToMany {
            try object.setValue(other, forKey: relationship.name)
        } else if relationship.isOrdered {
            try object.orderedObjects(relationship.name).append(other)
        } else {
            try object.objects(relationship.name).insert(other)
        }
        log.relatedPairs += 1
    }

    /// Sets one attribute of the first stored object of each entity.
    mutating func updateOneOfEach() throws {
        var changed: [(ManagedObject, Int64)] = []
        for entity in concreteEntities {
            guard let object = try first(entity, excluding: Set(log.inserted)) else { continue }
            number += 1
            // Uses the first attribute whose value differs from the wanted value.
            for attribute in entity.attributes
            where !attribute.isTransient && !attribute.isDerived && attribute.type != .composite {
                let value = PlausibleValues(number: number).value(for: attribute)
                guard try object[attribute.name] != value, let version = object.rowVersion else {
                    continue
                }
                try object.set(value, for: attribute)
                changed.append((object, version))
                break
            }
        }
        try context.save()
        log.updated += changed.map { ($0.objectID, $1) }
    }

    /// Sets each optional relationship of the new objects to a stored object.
    mutating func relateInserted() throws {
        for id in log.inserted {
            let object = try context.existingObject(with: id)
            for relationship in object.entity.relationships
            where !relationship.isTransient && relationship.isOptional {
                guard relationship.inverse?.isOptional ?? true,
                    let other = try first(relationship.destination, excluding: [])
                else { continue }
                try set(object, relationship, to: other)
            }
        }
        try context.save()
    }

    /// Deletes the new objects again, as far as the delete rules allow.
    mutating func deleteInserted() throws {
        for id in log.inserted.reversed() {
            // An earlier deletion may have cascaded to this object.
            guard let object = try? context.existingObject(with: id) else { continue }
            try context.delete(object)
            do {
                try context.save()
                log.deleted.append(id)
            } catch GraphError.validation {
                // A Deny rule prevented the deletion, or another object requires this one.
                context.rollback()
            }
        }
    }

    private func first(_ entity: Entity, excluding ids: Set<ObjectID>) throws -> ManagedObject? {
        var request = FetchRequest<ManagedObject>(entity.name)
        request.fetchLimit = ids.count + 1
        return try context.fetch(request).first { !ids.contains($0.objectID) }
    }
}

extension ManagedObject {
    fileprivate func set(_ value: Value, for attribute: Attribute) throws {
        if !attribute.isTransient { try setValue(value, forKey: attribute.name) }
    }

    fileprivate func memberIDs(of relationship: Relationship) throws -> [ObjectID] {
        relationship.isOrdered
            ? try orderedObjects(relationship.name, as: ManagedObject.self).objectIDs()
            : try objects(relationship.name, as: ManagedObject.self).objectIDs()
    }
}
