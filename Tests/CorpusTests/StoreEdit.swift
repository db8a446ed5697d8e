import Cairn
import Foundation

/// Edits of every kind to a store of any model: insert, update, relate, delete.
struct StoreEdit {
    /// What was done, for the checks afterwards.
    struct Log: Sendable {
        var inserted: [ObjectID] = []
        /// With the version that each had before.
        var updated: [(id: ObjectID, previousVersion: Int64)] = []
        var deleted: [ObjectID] = []
        var relatedPairs = 0
    }

    let context: ManagedObjectContext
    private(set) var log = Log()
    private var number = 9_000

    init(_ context: ManagedObjectContext) { self.context = context }

    private var concreteEntities: [Entity] {
        context.managedObjectModel.entities.filter { !$0.isAbstract }
    }

    /// Inserts one object of each concrete entity with all that is required, and relates it.
    mutating func insertOneOfEach() throws {
        var made: [ManagedObject] = []
        for entity in concreteEntities { made.append(try insert(entity)) }
        try context.save()
        log.inserted += made.map(\.objectID)
    }

    /// An object of the entity, the objects that it requires included.
    private mutating func insert(_ entity: Entity, depth: Int = 0) throws -> ManagedObject {
        number += 1
        let object = try context.insertNewObject(forEntityName: entity.name)
        for attribute in entity.attributes
        where !attribute.isTransient && !attribute.isDerived {
            let value = PlausibleValues(number: number).value(for: attribute)
            try object.set(value, forKey: attribute.name)
        }
        for relationship in entity.relationships
        where !relationship.isTransient && !relationship.isOptional && depth < 4 {
            try relate(object, relationship, depth: depth)
        }
        return object
    }

    private mutating func relate(
        _ object: ManagedObject, _ relationship: Relationship, depth: Int
    ) throws {
        let isSet =
            relationship.isToMany
            ? try !object.objectIDs(forRelationshipNamed: relationship.name).isEmpty
            : try object.value(forKey: relationship.name) != nil
        guard !isSet else { return }
        let concrete = relationship.destination.hierarchy.first { !$0.isAbstract }
        guard let concrete else { return }
        // The inverse may be required too: it is set by this relationship, so the walk ends.
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
            try object.set(value, forKey: attribute.name)
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
            guard let object = try first(entity, excluding: Set(log.inserted)),
                let attribute = entity.attributes.first(where: {
                    !$0.isTransient && !$0.isDerived && $0.type != .composite
                })
            else { continue }
            number += 1
            let value = PlausibleValues(number: number).value(for: attribute)
            _ = try object.value(forKey: attribute.name)
            guard let version = object.rowVersion, object[attribute.name] != value else { continue }
            try object.set(value, forKey: attribute.name)
            changed.append((object, version))
        }
        try context.save()
        log.updated += changed.map { ($0.objectID, $1) }
    }

    /// Leads each optional relationship of the new objects to a stored object.
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
            guard let object = context.registeredObject(for: id), !object.isDeleted else {
                continue
            }
            try context.delete(object)
            do {
                try context.save()
                log.deleted.append(id)
            } catch GraphError.validation {
                // A Deny rule, or another object requires this one.
                context.rollback()
            }
        }
    }

    private func first(_ entity: Entity, excluding ids: Set<ObjectID>) throws -> ManagedObject? {
        let request = FetchRequest<ManagedObject>(entity.name)
        request.fetchLimit = ids.count + 1
        return try context.fetch(request).first { !ids.contains($0.objectID) }
    }
}
