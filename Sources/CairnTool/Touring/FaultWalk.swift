import Cairn

/// Walks from the best connected object of each entity along its relationships, firing one fault
/// after the other, and says what it meets.
struct FaultWalk {
    let context: ManagedObjectContext

    /// Returns a line for each relationship walked, of the entities with the most relationships.
    ///
    /// - Throws: `GraphError`.
    func lines(atMost count: Int) throws -> [String] {
        let entities = context.managedObjectModel.entities
            .filter { !$0.isAbstract && !$0.relationships.isEmpty }
            .sorted { $0.relationships.count > $1.relationships.count }
        var lines: [String] = []
        for entity in entities where lines.count < count {
            let request = FetchRequest<ManagedObject>(entity.name)
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
        let head = "\(name(of: object)).\(relationship.name) → "
        guard relationship.isToMany else {
            guard let next = try object.value(forKey: relationship.name) as? ManagedObject else {
                return head + "nil"
            }
            let wasFault = next.isFault
            return head + name(of: next) + (wasFault ? " (a fault until now)" : "")
        }
        let ids = try object.objectIDs(forRelationshipNamed: relationship.name)
        let first = try ids.first.map { name(of: try context.object(with: $0)) }
        return head + "\(ids.count) \(relationship.destination.name)"
            + (first.map { ", first \($0)" } ?? "")
    }

    /// The entity, key and first text of an object; reading that text fires its fault.
    private func name(of object: ManagedObject) -> String {
        let short = object.objectID.shortName(in: context.managedObjectModel)
        let text = object.entity.attributes.first { $0.type == .string && !$0.isTransient }
            .flatMap { object[$0.name].text }
        return short + (text.map { " “\($0.prefix(30))”" } ?? "")
    }
}

extension Value {
    fileprivate var text: String? {
        if case .string(let text) = self { text } else { nil }
    }
}
