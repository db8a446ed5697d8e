import CairnModel
import CairnStore

/// Objects that the program has, in groups of one kind, to be tested or sorted by their values.
///
/// Made with the values of all of them fetched: many faults cost few calls to the stores.
struct KnownObjects {
    /// Objects of one entity in one context.
    struct Group {
        let kind: ObjectKind
        let context: ManagedObjectContext
        fileprivate(set) var indices: [Int]
    }

    let objects: [ManagedObject]
    private(set) var groups: [Group] = []

    /// - Throws: `.objectGone` for an object that belongs to no context, `.wrongThread`, `.store`.
    init(_ objects: [ManagedObject]) throws(GraphError) {
        self.objects = objects
        try fire()
        // Firing may tell that an object is of a subentity, so objects are grouped after that.
        var groupOfKind: [ObjectIdentifier: Int] = [:]
        var (last, group): (ObjectKind?, Int) = (nil, 0)
        for (index, object) in objects.enumerated() {
            guard let context = object.owner else { throw .objectGone(object.objectID) }
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

    /// Fires the faults of each context together. One whose row is gone stays a fault, and throws when a
    /// value is read.
    private func fire() throws(GraphError) {
        var known: ManagedObjectContext?
        var contexts: [ManagedObjectContext] = []
        for object in objects {
            guard let context = object.owner else { throw .objectGone(object.objectID) }
            if context === known { continue }
            known = context
            if !contexts.contains(where: { $0 === context }) {
                try context.checkTurn("matching of its objects")
                contexts.append(context)
            }
        }
        if objects.count > 1 {
            for context in contexts { try context.faults.fire(objects) }
        }
    }

    /// Fetches what paths lead to from the objects of a group, in few calls.
    ///
    /// - Returns: the objects on the way. The caller holds them until it has followed the paths.
    /// - Throws: `.store`.
    func prefetch(_ paths: [BoundPath], from group: Group) throws(GraphError) -> [ManagedObject] {
        guard group.indices.count > 1 else { return [] }
        let owners = group.indices.map { objects[$0] }
        var keyPaths: Set<String> = []
        for path in paths where path.start == .evaluatedObject {
            var relationships = path.relationships[...]
            // Of the objects at the end only the IDs are read.
            if path.leaf == .object, let last = relationships.last {
                if !last.isToMany {
                    relationships.removeLast()
                } else if relationships.count == 1 {
                    try group.context.faults.loadMembers(RelationshipBinding(last), of: owners)
                    relationships.removeLast()
                }
            }
            if relationships.isEmpty { continue }
            keyPaths.insert(relationships.map(\.name).joined(separator: "."))
        }
        guard !keyPaths.isEmpty else { return [] }
        return try Prefetcher(group.context, reading: nil)
            .prefetch(keyPaths.sorted(), from: owners, forCallerOnly: true)
    }
}
