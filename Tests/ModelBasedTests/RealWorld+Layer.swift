import Cairn

extension RealWorld.Layer {
    /// Does an action that concerns this context alone, inside of its turn.
    func apply(_ action: Action, in context: ManagedObjectContext) throws {
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

    /// Notes the objects of the context and their IDs: they may be others after an event.
    func find(in context: ManagedObjectContext) throws {
        held = [:]
        ids = [:]
        for object in try context.fetch(FetchRequest<ManagedObject>("Item")) {
            let number = try object.number
            held[number] = object
            ids[number] = object.objectID
        }
    }

    /// Begins with what the parent shows.
    func beginAsChild(of parent: RealWorld.Layer, context: ManagedObjectContext) throws {
        context.undoManager = UndoManager()
        try find(in: context)
        // Every object of a child begins as a fault that its parent fills.
        held = [:]
    }

    private func object(_ number: Int, in context: ManagedObjectContext) throws -> ManagedObject {
        if let object = held[number] { return object }
        guard let id = ids[number] else { throw Disagreement("\(number) was never seen") }
        let object = try context.object(with: id)
        held[number] = object
        return object
    }

    private func apply(_ operation: Operation, in context: ManagedObjectContext) throws {
        func object(_ number: Int) throws -> ManagedObject {
            try self.object(number, in: context)
        }
        switch operation {
        case .insert(let number, let kind):
            let new = try context.insertNewObject(forEntityName: kind.rawValue)
            try new.setValue(number, forKey: "number")
            held[number] = new
        case .setText(let number, let text): try object(number).setValue(text, forKey: "text")
        case .setRank(let number, let rank): try object(number).setValue(rank, forKey: "rank")
        case .place(let note, let folder, let index):
            let notes: OrderedObjects<ManagedObject> = try object(folder).orderedObjects("notes")
            try notes.insert(object(note), at: index)
        case .arrange(let folder, let notes):
            try object(folder).orderedObjects("notes").replaceAll(with: notes.map(object))
        case .exchange(let folder, let first, let second):
            try object(folder).orderedObjects("notes")
                .exchangeMembers(at: first, and: second)
        case .setFolder(let note, let folder):
            try object(note).setValue(folder.map(object), forKey: "folder")
        case .setTagged(let note, let tag, let isTagged, let fromTag):
            let (owner, member) = try (object(fromTag ? tag : note), object(fromTag ? note : tag))
            let members: ObjectSet<ManagedObject> =
                try owner.objects(fromTag ? "notes" : "tags")
            if isTagged { try members.insert(member) } else { try members.remove(member) }
        case .setCover(let folder, let note):
            try object(folder).setValue(note.map(object), forKey: "cover")
        case .setCovered(let note, let folder):
            try object(note).setValue(object(folder), forKey: "covers")
        case .setParent(let folder, let parent):
            try object(folder).setValue(parent.map(object), forKey: "parent")
        case .addChild(let folder, let parent):
            let children: ObjectSet<ManagedObject> = try object(parent).objects("children")
            try children.insert(object(folder))
        case .delete(let number): try context.delete(object(number))
        }
    }

    // MARK: Two contexts

    /// Saves with a policy after others saved, and expects just those conflicts.
    func save(
        _ context: ManagedObjectContext, _ policy: Policy, conflictsWith numbers: Set<Int>
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

extension Policy {
    fileprivate var mergePolicy: StandardMergePolicy {
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
    /// The number of the node.
    var number: Int {
        get throws {
            guard let number = try value(forKey: "number") as? Int64 else {
                throw Disagreement("an object without a number")
            }
            return Int(number)
        }
    }
}
