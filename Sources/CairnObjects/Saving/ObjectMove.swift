import CairnModel
import CairnStack

/// A move of objects to another store, with the objects that their cascading relationships own.
///
/// A move is complete or refused: after it, no relationship leads across stores, as far as the context and
/// its source know.
struct ObjectMove {
    private let context: ManagedObjectContext
    private let target: StoreNumber
    private var objects: [ManagedObject] = []
    private var ids: Set<ObjectID> = []

    /// Finds the objects that move with others, level by level, and checks that all of them can move.
    ///
    /// - Throws: The errors of `ManagedObjectContext.move`.
    init(
        of roots: [ManagedObject], to target: StoreNumber, in context: ManagedObjectContext
    ) throws(GraphError) {
        self.context = context
        self.target = target
        var level = roots
        while !level.isEmpty {
            level = level.filter { !$0.isDeleted && ids.insert($0.objectID).inserted }
            try context.faults.fireWithMembers(level)
            objects += level
            var owned: [ManagedObject] = []
            for object in level {
                try requireMovable(object)
                for binding in object.kind.relationships
                where binding.deleteRule == .cascade && !binding.isTransient {
                    owned += try LinkEditor(context).destinations(of: object, binding)
                        .compactMap { context.registeredOrFault($0) }
                }
            }
            level = owned
        }
        for object in objects { try requireNoneStaying(object) }
        for (kind, objects) in DeleteRules.grouped(objects)
        where kind.isDestinationWithoutInverse {
            try requireNoneLeadingHere(kind, objects)
        }
    }

    /// Makes the next save move the objects.
    func schedule() {
        for object in objects
        where context.savingState.assignments[object] ?? object.objectID.store != target {
            context.tracker.note(object, .updated)
            context.savingState.assignments[object] = target
        }
    }

    // MARK: Checking

    private func requireMovable(_ object: ManagedObject) throws(GraphError) {
        guard object.row != nil || object.isInserted else {
            throw .objectGone(object.objectID, object.absence)
        }
        let stores = context.source.coordinator?.storeList
        _ = try stores?.store(numbered: target, for: object.kind.number)
        if object.objectID.isTemporary { return }
        // The object is deleted in this store, which must not be read-only.
        _ = try stores?.store(numbered: object.objectID.store, for: object.kind.number)
    }

    /// Returns whether an object is in another store than the moved objects after the save.
    private func stays(_ id: ObjectID) -> Bool {
        guard !ids.contains(id), let other = context.registeredOrFault(id) else { return false }
        return !other.isDeleted && !context.mayBeStored(other, in: [target])
    }

    private func requireNoneStaying(_ object: ManagedObject) throws(GraphError) {
        for binding in object.kind.relationships where !binding.isTransient {
            for id in try LinkEditor(context).destinations(of: object, binding) where stays(id) {
                throw .relationshipAcrossStores(
                    entity: object.entity.name, relationship: binding.name, from: object.objectID,
                    to: id)
            }
        }
    }

    /// Checks relationships without an inverse that lead to moved objects. They have to be searched for.
    private func requireNoneLeadingHere(
        _ kind: ObjectKind, _ objects: [ManagedObject]
    ) throws(GraphError) {
        let moved = FetchExpression.list(objects.map { .constant(.objectID($0.objectID)) })
        for entity in context.managedObjectModel.entities {
            for relationship in entity.relationships
            where relationship.inverse == nil && !relationship.isTransient
                && relationship.entity.number == entity.number
                && relationship.destination.hierarchyNumbers.contains(kind.number)
            {
                var request = FetchRequest<ManagedObject>(entity.name)
                request.predicate = .comparison(
                    PredicateComparison(
                        .keyPath([relationship.name]), .in, moved,
                        modifier: relationship.isToMany ? .any : .direct))
                for owner in try owners(request) where stays(owner.objectID) {
                    let found = try owner.objectIDs(forRelationshipNamed: relationship.name)
                    guard let id = found.first(where: ids.contains) else { continue }
                    throw .relationshipAcrossStores(
                        entity: owner.entity.name, relationship: relationship.name,
                        from: owner.objectID, to: id)
                }
            }
        }
    }

    private func owners(
        _ request: FetchRequest<ManagedObject>
    ) throws(GraphError) -> [ManagedObject] {
        do {
            return try context.fetch(request)
        } catch .noStore {
            // No store has such objects.
            return []
        }
    }
}

extension ManagedObjectContext {
    /// Whether the next save moves a stored object to another store, or passes the move to the parent.
    func isMoving(_ object: ManagedObject) -> Bool {
        guard let store = savingState.assignments[object], !object.isInserted else { return false }
        return !object.isDeleted && store != object.objectID.store
    }
}

extension ManagedObject {
    /// Marks the object as unchanged, because its changes were discarded, unless the next save moves it.
    final func endUpdate() {
        if owner?.isMoving(self) != true { state.remove(.updated) }
    }
}
