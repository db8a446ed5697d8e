import CairnModel
import CairnObjects
import CairnStack

/// A writer that collects the values of an object and of its related objects for a snapshot.
struct SnapshotWriter {
    /// A relationship of an object.
    private struct Step: Hashable {
        let owner: ObjectID
        let name: String
    }

    /// The names of the relationships to write, for each object.
    private var relationships: [ObjectID: Set<String>] = [:]
    /// The relationship in which the content of each object is written. It is the one with the fewest steps
    /// from the root object. The value for the root object is `nil`.
    private var origins: [ObjectID: Step?] = [:]
    /// The objects that are reached more than once.
    private var repeated: Set<ObjectID> = []
    private var references: [ObjectID: Int64] = [:]

    /// Returns the fields of an object. The objects along each path are fetched together.
    static func fields(
        of object: ManagedObject, including paths: [String]
    ) throws(GraphError) -> [String: PlainValue] {
        let context = try object.presentContext
        try context.checkTurn("snapshot")
        let prefetched = try Prefetcher(context, reading: nil)
            .prefetch(paths, from: [object], forCallerOnly: true)
        defer { withExtendedLifetime(prefetched) {} }
        var writer = SnapshotWriter()
        for path in paths { try writer.note(path, from: object) }
        try writer.findOrigins(from: object)
        return try writer.fields(of: object)
    }

    /// Records which relationships to write, for all objects along a path. Each object is visited once per
    /// step, no matter how many objects lead to it.
    private mutating func note(_ path: String, from first: ManagedObject) throws(GraphError) {
        var level = [first]
        for name in path.split(separator: ".").map(String.init) {
            var found: Set<ObjectID> = []
            var next: [ManagedObject] = []
            for object in level {
                relationships[object.objectID, default: []].insert(name)
                for member in try Self.members(of: object, name)
                where found.insert(member.objectID).inserted {
                    next.append(member)
                }
            }
            level = next
        }
    }

    /// Finds the step in which the content of each object is written. Visits the nearest objects first, so
    /// that content is written as close to the root object as possible. Otherwise the nesting could become as
    /// deep as there are objects.
    private mutating func findOrigins(from first: ManagedObject) throws(GraphError) {
        origins[first.objectID] = .some(nil)
        var level = [first]
        while !level.isEmpty {
            var next: [ManagedObject] = []
            for object in level {
                for name in names(of: object) {
                    let step = Step(owner: object.objectID, name: name)
                    for member in try Self.members(of: object, name) {
                        if origins[member.objectID] == nil {
                            origins[member.objectID] = step
                            next.append(member)
                        } else {
                            repeated.insert(member.objectID)
                        }
                    }
                }
            }
            level = next
        }
    }

    private mutating func fields(of object: ManagedObject) throws(GraphError) -> [String:
        PlainValue]
    {
        let id = object.objectID
        var fields: [String: PlainValue] = [SnapshotKey.entity: .text(object.entity.name)]
        if repeated.contains(id) { fields[SnapshotKey.reference] = .integer(reference(to: id)) }
        for attribute in object.entity.attributes {
            fields[attribute.name] = PlainValue(try object[attribute.name])
        }
        for name in names(of: object) {
            let step = Step(owner: id, name: name)
            var members: [PlainValue] = []
            for member in try Self.members(of: object, name) {
                let hasContent = origins[member.objectID] == .some(step)
                members.append(
                    .fields(
                        hasContent
                            ? try self.fields(of: member)
                            : [SnapshotKey.reference: .integer(reference(to: member.objectID))]))
            }
            let isToMany = object.entity.relationship(named: name)?.isToMany == true
            fields[name] = isToMany ? .list(members) : members.first ?? .null
        }
        return fields
    }

    private mutating func reference(to id: ObjectID) -> Int64 {
        if let known = references[id] { return known }
        let reference = Int64(references.count + 1)
        references[id] = reference
        return reference
    }

    /// Returns the names of the object's relationships to write, sorted.
    private func names(of object: ManagedObject) -> [String] {
        relationships[object.objectID, default: []].sorted()
    }

    /// Returns the destinations of a relationship. The members of an unordered to-many are sorted by key.
    private static func members(
        of object: ManagedObject, _ name: String
    ) throws(GraphError) -> [ManagedObject] {
        guard case .relationship(let binding) = try object.kind.binding(name) else {
            throw object.wrongType(
                name, expected: "a relationship", found: "a property that is not one")
        }
        let ids: [ObjectID]
        if binding.isOrdered {
            ids = try object.orderedObjects(name, as: ManagedObject.self).objectIDs()
        } else if binding.isToMany {
            ids = try object.objects(name, as: ManagedObject.self).objectIDs()
                .sorted { $0.precedes($1) }
        } else {
            ids = try [object.readDestinationID(binding)].compactMap(\.self)
        }
        let context = try object.presentContext
        var members: [ManagedObject] = []
        for id in ids { members.append(try context.object(with: id)) }
        return members
    }
}
