import CairnEngineKit
import CairnModel
import CairnStack
import CairnStore

/// Sorts objects in memory by sort descriptors, based on their current values.
struct ObjectArranger {
    let descriptors: [FetchSortDescriptor]

    /// Returns the indices of the objects in sorted order. Objects that compare as equal stay in their
    /// original order.
    ///
    /// - Throws: `.predicate`, including if a descriptor cannot compare objects of different entities;
    ///   `.objectGone`, `.wrongThread`, `.store`.
    func sortedIndices(of objects: [ManagedObject]) throws(GraphError) -> [Int] {
        let known = try KnownObjects(objects)
        var keys = [SortKey?](repeating: nil, count: objects.count)
        var types: [AttributeType]?
        for group in known.groups {
            let sorts = try bound(for: group.kind.entity)
            try check(sorts, &types, group.kind.entity)
            let held = try known.prefetch(sorts.map(\.path), from: group)
            let source = ContextObjects(context: group.context, isAskedByProgram: true)
            let sorter = ObjectSorter(sorts, source: source)
            for index in group.indices { keys[index] = try sorter.key(of: objects[index]) }
            withExtendedLifetime(held) {}
        }
        return objects.indices.sorted { left, right in
            guard let a = keys[left], let b = keys[right] else { return left < right }
            let order = a.order(beforeIDs: b)
            return order == 0 ? left < right : order < 0
        }
    }

    private func bound(for entity: Entity) throws(GraphError) -> [BoundSort] {
        var sorts: [BoundSort] = []
        do {
            for descriptor in descriptors {
                sorts.append(
                    BoundSort(
                        try BoundPath(inMemory: descriptor.keyPath, entity: entity),
                        isAscending: descriptor.isAscending, textOrder: descriptor.textOrder))
            }
        } catch {
            throw .predicate(error)
        }
        return sorts
    }

    /// Checks that each descriptor reads values of the same type for objects of all entities.
    private func check(
        _ sorts: [BoundSort], _ types: inout [AttributeType]?, _ entity: Entity
    ) throws(GraphError) {
        let own = sorts.map { $0.path.type.isInteger ? .integer64 : $0.path.type }
        for (index, (type, known)) in zip(own, types ?? own).enumerated() where type != known {
            throw .predicate(
                .typeMismatch(
                    expression: descriptors[index].keyPath,
                    detail:
                        "objects of \(entity.name) have values of type \(type) for it and cannot be"
                        + " sorted together with objects that have values of type \(known)"))
        }
        types = own
    }
}
