import CairnModel
import CairnStack

/// Fetches the objects along paths of relationships, level by level instead of one by one.
///
/// Each level of all paths takes at most two calls to the source: one for the members of to-many
/// relationships, and one for the rows of all objects that the relationships lead to.
package struct Prefetcher {
    private let context: ManagedObjectContext
    private let state: (any ObjectSource)?
    private let faults: FaultFirer

    /// - Parameter state: The state of the stores to read. `nil` means the state that the context reads.
    package init(_ context: ManagedObjectContext, reading state: (any ObjectSource)?) {
        self.context = context
        self.state = state
        faults = FaultFirer(context, reading: state)
    }

    /// Paths that begin at the same objects, as a tree of their steps.
    private struct Paths {
        var steps: [(name: String, rest: Paths)] = []

        init(_ paths: [String]) {
            for path in paths { add(path.split(separator: ".").map(String.init)[...]) }
        }

        private mutating func add(_ path: ArraySlice<String>) {
            guard let name = path.first else { return }
            let index = steps.firstIndex { $0.name == name } ?? steps.count
            if index == steps.count { steps.append((name, Paths([]))) }
            steps[index].rest.add(path.dropFirst())
        }

        /// Whether a path has more than one step.
        var isLong: Bool { steps.contains { !$0.rest.steps.isEmpty } }
    }

    /// Objects, and the paths that lead from them.
    private struct Level {
        let objects: [ManagedObject]
        let paths: Paths
    }

    /// A step of the paths from the objects of a level.
    private struct Step {
        let owners: [FaultFirer.MembersRequest]
        let rest: Paths
    }

    /// Loads the members along the paths and fires their faults.
    ///
    /// Returns all objects along the paths. The caller must hold them; otherwise they are released, and
    /// following a path creates faults again. If a path has several steps, the objects at which it
    /// begins also hold them, unless `forCallerOnly` says that only the caller follows the paths.
    ///
    /// - Throws: `.unknownProperty`; `.wrongType` if a name is not the name of a relationship; `.store`.
    package func prefetch(
        _ paths: [String], from objects: [ManagedObject], forCallerOnly: Bool = false
    ) throws(GraphError) -> [ManagedObject] {
        let paths = Paths(paths)
        var found: [ManagedObject] = []
        try faults.fire(objects)
        var levels = [Level(objects: objects, paths: paths)]
        while !levels.isEmpty { levels = try follow(levels, &found) }
        if paths.isLong, !forCallerOnly { PrefetchedObjects.hold(found, by: objects) }
        return found
    }

    /// Follows all paths by one step. Returns the levels at which paths continue.
    private func follow(
        _ levels: [Level], _ found: inout [ManagedObject]
    ) throws(GraphError) -> [Level] {
        let first = found.count
        var steps: [Step] = []
        var next: [Level] = []
        for level in levels {
            for (name, rest) in level.paths.steps {
                if let objects = try referenced(by: name, level.objects) {
                    found += objects
                    if !rest.steps.isEmpty { next.append(Level(objects: objects, paths: rest)) }
                    continue
                }
                steps.append(Step(owners: try grouped(level.objects, by: name), rest: rest))
            }
        }
        let rows = try faults.loadMembers(
            steps.flatMap(\.owners).filter(\.binding.isToMany))
        // Holds the objects until the faults have been fired.
        var came: [ManagedObject] = []
        context.materializeAll(rows) { came.append($0) }
        for step in steps {
            let objects = try destinations(of: step.owners)
            // The faults of all steps are fired together.
            if found.isEmpty { found = objects } else { found += objects }
            if !step.rest.steps.isEmpty { next.append(Level(objects: objects, paths: step.rest)) }
        }
        try faults.fire(found.count == first ? [] : Array(found[first...]))
        withExtendedLifetime(came) {}
        return next
    }

    /// Returns the objects that a reference with this name leads to. Returns `nil` if objects have another
    /// property with the name, or if there are no objects.
    private func referenced(
        by name: String, _ objects: [ManagedObject]
    ) throws(GraphError) -> [ManagedObject]? {
        typealias Group = (
            lookup: ReferenceLookup, binding: AttributeBinding, owners: [ManagedObject]
        )
        var groups: [Group] = []
        var (kind, current): (ObjectKind?, Int) = (nil, 0)
        let areOfOneKind = objects.allSatisfy { $0.kind === objects[0].kind }
        for object in objects {
            if object.kind !== kind {
                kind = object.kind
                guard case .attribute(let binding) = try object.kind.binding(name),
                    let lookup = binding.reference
                else { return nil }
                current = groups.firstIndex { $0.lookup === lookup } ?? groups.count
                if current == groups.count { groups.append((lookup, binding, [])) }
                if areOfOneKind {
                    groups[0].owners = objects
                    break
                }
            }
            groups[current].owners.append(object)
        }
        if groups.isEmpty { return nil }
        var found: [ManagedObject] = []
        for group in groups {
            found += try group.lookup.load(
                from: group.owners, group.binding, in: context, from: state)
        }
        return found
    }

    /// Returns the objects that relationships lead to, without duplicates. Creates faults for those that
    /// are not registered.
    private func destinations(
        of groups: [FaultFirer.MembersRequest]
    ) throws(GraphError) -> [ManagedObject] {
        var list = ObjectList(context: context)
        defer { list.finish() }
        for group in groups {
            let binding = group.binding
            if binding.isToMany {
                for owner in group.owners {
                    for id in try owner.loadedMembers(binding).current { list.add(id) }
                }
            } else {
                for owner in group.owners where !owner.isFault {
                    if let id = try owner.destinationID(binding) { list.add(id) }
                }
            }
        }
        return list.objects
    }

    /// A list of objects without duplicates, looked up by ID.
    private struct ObjectList {
        let context: ManagedObjectContext
        private(set) var objects: [ManagedObject] = []
        /// The last ID. Consecutive owners often lead to the same object, which is then not looked up
        /// again.
        private var last: ObjectID?

        init(context: ManagedObjectContext) { self.context = context }

        mutating func add(_ id: ObjectID) {
            if id == last { return }
            last = id
            guard let object = context.registeredOrFault(id),
                object.state.insert(.listed).inserted
            else { return }
            objects.append(object)
        }

        func finish() {
            for object in objects { object.state.remove(.listed) }
        }
    }

    /// Groups objects by their relationship of this name. Objects of several entities may inherit it
    /// from a common superentity, or have a relationship of their own.
    private func grouped(
        _ objects: [ManagedObject], by name: String
    ) throws(GraphError) -> [FaultFirer.MembersRequest] {
        if let first = objects.first, objects.allSatisfy({ $0.kind === first.kind }) {
            let binding = try relationship(name, of: first)
            return [FaultFirer.MembersRequest(binding: binding, owners: objects)]
        }
        var groups: [(binding: RelationshipBinding, owners: [ManagedObject])] = []
        var (kind, current): (ObjectKind?, Int) = (nil, 0)
        for object in objects {
            // Consecutive objects usually are of one kind.
            if object.kind !== kind {
                kind = object.kind
                let binding = try relationship(name, of: object)
                current =
                    groups.firstIndex { $0.binding.relationship == binding.relationship }
                    ?? groups.count
                if current == groups.count { groups.append((binding, [])) }
            }
            groups[current].owners.append(object)
        }
        return groups.map { FaultFirer.MembersRequest(binding: $0.binding, owners: $0.owners) }
    }

    private func relationship(
        _ name: String, of object: ManagedObject
    ) throws(GraphError) -> RelationshipBinding {
        guard case .relationship(let binding) = try object.kind.binding(name) else {
            throw .wrongType(
                entity: object.entity.name, property: name, expected: "a relationship",
                found: "an attribute")
        }
        return binding
    }
}

/// The objects along prefetched paths. They are held by the objects at which the paths begin.
///
/// An object that is held in this way never holds other objects in turn, so cycles of relationships do
/// not keep objects alive.
final class PrefetchedObjects {
    private let objects: [ManagedObject]

    private init(_ objects: [ManagedObject]) { self.objects = objects }

    /// Makes the objects at which paths begin hold the objects that the paths lead to, until the former
    /// become faults or are released.
    static func hold(_ found: [ManagedObject], by roots: [ManagedObject]) {
        let holders = roots.filter { !$0.state.contains(.prefetched) }
        if holders.isEmpty { return }
        // A path may lead back to the object at which it began.
        for root in roots { root.state.insert(.listed) }
        let others = found.filter { !$0.state.contains(.listed) }
        for root in roots { root.state.remove(.listed) }
        if others.isEmpty { return }
        let held = PrefetchedObjects(others)
        for object in others { object.state.insert(.prefetched) }
        for holder in holders { holder.writableOverlay.prefetched = held }
    }
}
