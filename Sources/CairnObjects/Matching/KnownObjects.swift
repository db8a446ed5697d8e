import CairnModel
import CairnStack

/// Objects in memory, grouped by kind, that are tested or sorted by their values.
///
/// The values of all objects are fetched on creation, so that many faults need only a few calls to the
/// stores.
struct KnownObjects {
    /// Objects of one entity in one context.
    struct Group {
        let kind: ObjectKind
        let context: ManagedObjectContext
        fileprivate(set) var indices: [Int]
    }

    let objects: [ManagedObject]
    private(set) var groups: [Group] = []

    /// - Throws: `.objectGone` if an object does not belong to a context; `.wrongThread`, `.store`.
    init(_ objects: [ManagedObject]) throws(GraphError) {
        self.objects = objects
        try fire()
        // Objects are grouped afterwards, because firing may reveal that an object belongs to a
        // subentity.
        var groupOfKind: [ObjectIdentifier: Int] = [:]
        var (last, group): (ObjectKind?, Int) = (nil, 0)
        for (index, object) in objects.enumerated() {
            guard let context = object.owner else {
                throw .objectGone(object.objectID, object.absence)
            }
            if object.kind !== last {
                last = object.kind
                group = groupOfKind[ObjectIdentifier(object.kind), default: groups.count]
                if group == groups.count {
                    groupOfKind[ObjectIdentifier(object.kind)] = group
                    groups.append(Group(kind: object.kind, context: context, indices: []))
                }
            }
            groups[group].indices.append(index)
        }
    }

    /// Fires the faults of each context together. A fault whose row is gone stays a fault, and throws
    /// when a value is read.
    private func fire() throws(GraphError) {
        var known: ManagedObjectContext?
        var contexts: [ManagedObjectContext] = []
        for object in objects {
            guard let context = object.owner else {
                throw .objectGone(object.objectID, object.absence)
            }
            if context === known { continue }
            known = context
            if !contexts.contains(where: { $0 === context }) {
                try context.checkTurn("fetch")
                contexts.append(context)
            }
        }
        if objects.count > 1 {
            for context in contexts { try context.faults.fire(objects) }
        }
    }

    /// Fetches the objects along paths that begin at the objects of a group, with few calls.
    ///
    /// - Returns: The objects along the paths. The caller must hold them until it has followed the
    ///   paths.
    /// - Throws: `.store`.
    func prefetch(_ paths: [BoundPath], from group: Group) throws(GraphError) -> [ManagedObject] {
        guard group.indices.count > 1 else { return [] }
        let owners = group.indices.map { objects[$0] }
        var keyPaths: Set<String> = []
        for path in paths where path.start == .evaluatedObject {
            var relationships = path.relationships[...]
            // Only the IDs of the objects at the end are read.
            if path.leaf == .object, let last = relationships.last {
                if !last.isToMany {
                    relationships.removeLast()
                } else if relationships.count == 1 {
                    try group.context.faults.loadMembers(RelationshipBinding(last), of: owners)
                    relationships.removeLast()
                }
            }
            let names = relationships.map(\.name) + path.namesFromReference
            if !names.isEmpty { keyPaths.insert(names.joined(separator: ".")) }
        }
        guard !keyPaths.isEmpty else { return [] }
        return try Prefetcher(group.context, reading: nil)
            .prefetch(keyPaths.sorted(), from: owners, forCallerOnly: true)
    }
}

extension BoundPath {
    /// The names of the reference at the end of the path, and of the relationships and references that follow it.
    fileprivate var namesFromReference: [String] {
        guard case .referenced(let reference, let rest) = leaf else { return [] }
        return [reference.name] + rest.relationships.map(\.name) + rest.namesFromReference
    }
}
