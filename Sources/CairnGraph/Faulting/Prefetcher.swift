import CairnModel
import CairnStore

/// Fetches the objects along paths of relationships, a level at a time instead of one by one.
struct Prefetcher {
    private let context: ManagedObjectContext

    init(_ context: ManagedObjectContext) {
        self.context = context
    }

    /// Makes the members along a path known, and fires their faults.
    ///
    /// Returns the objects that the path leads to, those on the way included. The caller holds them:
    /// otherwise they go, and following the path makes new faults.
    ///
    /// - Throws: `.unknownProperty`, `.wrongType` for a name that is no relationship, `.store`.
    func prefetch(
        _ path: String, from objects: [ManagedObject]
    ) throws(GraphError) -> [ManagedObject] {
        var found: [ManagedObject] = []
        var level = objects
        for name in path.split(separator: ".").map(String.init) {
            try context.faults.fire(level)
            level = try destinations(name, of: level)
            found += level
        }
        try context.faults.fire(level)
        return found
    }

    private func destinations(
        _ name: String, of objects: [ManagedObject]
    ) throws(GraphError) -> [ManagedObject] {
        var ids: [ObjectID] = []
        for (binding, owners) in try grouped(objects, by: name) {
            if binding.isToMany {
                try context.faults.loadMembers(binding, of: owners)
                for owner in owners { ids += try owner.loadedMembers(binding).current }
            } else {
                for owner in owners where !owner.isFault {
                    if let id = try owner.destinationID(binding) { ids.append(id) }
                }
            }
        }
        var seen: Set<ObjectID> = []
        return ids.filter { seen.insert($0).inserted }.compactMap(context.registeredOrFault)
    }

    /// Objects of several entities may have the property from a common superentity, or each its own.
    private func grouped(
        _ objects: [ManagedObject], by name: String
    ) throws(GraphError) -> [(RelationshipBinding, [ManagedObject])] {
        var groups: [Relationship: (RelationshipBinding, [ManagedObject])] = [:]
        for object in objects {
            guard case .relationship(let binding) = try object.kind.binding(name) else {
                throw .wrongType(
                    entity: object.entity.name, property: name, expected: "a relationship",
                    found: "an attribute")
            }
            groups[binding.relationship, default: (binding, [])].1.append(object)
        }
        return Array(groups.values)
    }
}
