import Cairn

extension RealWorld.Layer {
    /// Performs an action that affects only this context, in a turn of the context.
    package func apply(_ action: GraphAction, in context: ManagedObjectContext) throws {
        switch action {
        case .edits(let operations):
            for operation in operations { try apply(operation, in: context) }
            context.processPendingChanges()
        case .undo: context.undo()
        case .redo: context.redo()
        case .save: try context.save()
        case .rollback: context.rollback()
        case .reset:
            context.reset()
            held = [:]
        case .refresh(let number):
            try context.refresh(object(number, in: context), mergeChanges: true)
        case .refreshAll: try context.refreshAllObjects()
        case .forget:
            for (number, object) in held where !object.hasChanges { held[number] = nil }
            return
        case .obtainIDs:
            try context.obtainPermanentIDs(for: Array(context.insertedObjects))
        case .beginChild, .saveChild, .dropChild, .elsewhere: return
        }
        if case .edits = action { return }
        try find(in: context)
    }

    /// Records the objects of the context and their IDs, which an event may have replaced.
    package func find(in context: ManagedObjectContext) throws {
        held = [:]
        ids = [:]
        for object in try context.fetch(FetchRequest<ManagedObject>("Item")) {
            let number = try object.number
            held[number] = object
            ids[number] = object.objectID
        }
    }

    /// Starts with the state that the parent shows.
    package func beginAsChild(of parent: RealWorld.Layer, context: ManagedObjectContext) throws {
        context.undoManager = UndoManager()
        try find(in: context)
        // Every object of a child starts as a fault that its parent fulfills.
        held = [:]
    }

    private func object(_ number: Int, in context: ManagedObjectContext) throws -> ManagedObject {
        if let object = held[number] { return object }
        guard let id = ids[number] else { throw Disagreement("\(number) was never seen") }
        let object = try context.object(with: id)
        held[number] = object
        return object
    }

    private func apply(_ operation: GraphOperation, in context: ManagedObjectContext) throws {
        let inserted = try context.apply(operation) { try object($0, in: context) }
        if case .insert(let number, _) = operation { held[number] = inserted }
    }

    // MARK: Two contexts

    /// Saves with a policy after another context saved, and expects exactly the given conflicts.
    package func save(
        _ context: ManagedObjectContext, _ policy: ConflictPolicy, conflictsWith numbers: Set<Int>
    ) throws {
        context.mergePolicy = policy.mergePolicy
        defer { context.mergePolicy = .error }
        let expected = policy == .error ? Set(numbers.compactMap { ids[$0] }) : []
        let found = try conflicts(ofSaving: context)
        guard found == expected else {
            throw Disagreement("conflicts of \(found), not \(expected)")
        }
        try context.refreshAllObjects()
        if !found.isEmpty { try context.save() }
        context.undoManager?.removeAllActions()
        try find(in: context)
    }

    private func conflicts(ofSaving context: ManagedObjectContext) throws -> Set<ObjectID> {
        do {
            try context.save()
            return []
        } catch {
            guard case .mergeConflicts(let conflicts) = error else { throw error }
            return Set(conflicts.map(\.objectID))
        }
    }
}

extension ConflictPolicy {
    var mergePolicy: StandardMergePolicy {
        switch self {
        case .error: .error
        case .storeTrump: .mergeByPropertyStoreTrump
        case .objectTrump: .mergeByPropertyObjectTrump
        case .overwrite: .overwrite
        case .rollback: .rollback
        }
    }
}

extension ManagedObject {
    /// The number of the object's node.
    package var number: Int {
        get throws {
            guard let number = try value(forKey: "number") as? Int64 else {
                throw Disagreement("an object without a number")
            }
            return Int(number)
        }
    }
}
