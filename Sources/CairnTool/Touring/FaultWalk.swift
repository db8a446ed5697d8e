import Cairn

/// A walk along the relationships of one object of each entity, firing one fault after the other.
struct FaultWalk {
    let context: ManagedObjectContext

    /// Returns a line for each relationship that is followed. Starts with the entities that have the most
    /// relationships.
    ///
    /// - Throws: `GraphError`.
    func lines(atMost count: Int) throws -> [String] {
        let entities = context.managedObjectModel.entities
            .filter { !$0.isAbstract && !$0.relationships.isEmpty }
            .sorted { $0.relationships.count > $1.relationships.count }
        var lines: [String] = []
        for entity in entities where lines.count < count {
            var request = FetchRequest<ManagedObject>(entity.name)
            request.fetchLimit = 1
            request.includesSubentities = false
            guard let start = try context.fetch(request).first else { continue }
            for relationship in entity.relationships where !relationship.isTransient {
                lines.append(try line(from: start, along: relationship))
            }
        }
        return Array(lines.prefix(count))
    }

    private func line(
        from object: ManagedObject, along relationship: Relationship
    ) throws -> String {
        let head = "\(try name(of: object)).\(relationship.name) → "
        guard relationship.isToMany else {
            guard let next = try object.value(forKey: relationship.name) as? ManagedObject else {
                return head + "nil"
            }
            let wasFault = next.isFault
            return head + (try name(of: next)) + (wasFault ? " (was a fault)" : "")
        }
        let ids = try object.memberIDs(of: relationship)
        let first = try ids.first.map { try name(of: try context.object(with: $0)) }
        return head + "\(ids.count) \(relationship.destination.name)"
            + (first.map { ", first \($0)" } ?? "")
    }

    /// Returns the entity and key of an object, and its name or otherwise its first string. Reading that
    /// fires the object's fault.
    private func name(of object: ManagedObject) throws(GraphError) -> String {
        let short = object.objectID.shortName(in: context.managedObjectModel)
        let texts = object.entity.attributes.filter { $0.type == .string && !$0.isTransient }
        let named = texts.first { ["name", "title"].contains($0.name) } ?? texts.first
        guard let named, case .string(let text) = try object[named.name] else { return short }
        return short + " “\(text.prefix(30))”"
    }
}

extension ManagedObject {
    /// Returns the IDs of a to-many's members without fetching the members.
    fileprivate func memberIDs(of relationship: Relationship) throws(GraphError) -> [ObjectID] {
        relationship.isOrdered
            ? try orderedObjects(relationship.name, as: ManagedObject.self).objectIDs()
            : try objects(relationship.name, as: ManagedObject.self).objectIDs()
    }
}
