import Cairn
import CairnTesting
import Foundation
import GraphSupport
import Testing

@Suite struct `A move to another store` {
    @Test(arguments: MoveStack.pairs)
    func `takes the object, what it owns, and all of their values, and nothing stays`(
        _ types: [StoreType]
    ) throws {
        let stack = try MoveStack(types)
        try stack.fill()
        let before = try stack.content(of: 0)

        try stack.inContext { context in
            let item = try context.moveItem(to: stack.stores[1])
            try context.save()

            #expect(item.objectID.store == stack.stores[1].number)
            #expect(!context.hasChanges)
            #expect(try item.value(forKey: "partCount") as? Int64 == 2)
            #expect(try item.value(forKey: "scan") as? Data == MoveStack.scan)
            #expect(try item.names("pages", "name") == ["3", "1", "2"])
        }

        #expect(before.count == 11)
        #expect(try stack.content(of: 0) == [])
        #expect(try stack.content(of: 1) == before)
        if !types.contains(.inMemory) {
            try stack.close()
            let again = try MoveStack(types, in: stack.folder)
            #expect(try again.content(of: 1) == before)
            #expect(try again.content(of: 0) == [])
        }
    }

    @Test(arguments: MoveStack.neighbours)
    func `may be followed by changes, and by a move back`(_ types: [StoreType]) throws {
        let stack = try MoveStack(types)
        try stack.fill()
        let before = try stack.content(of: 0)

        try stack.inContext { context in
            let item = try context.moveItem(to: stack.stores[1])
            try context.save()
            let pages: OrderedObjects<ManagedObject> = try item.orderedObjects("pages")
            try pages.move(try #require(try pages.member(at: 2)), to: 0)
            try item.orderedObjects("tags").removeAll()
            try context.insert("Bolt", ["name": "new"])
                .setValue(try context.only("BigPart"), forKey: "part")
            for object in context.insertedObjects {
                try context.assign(object, to: stack.stores[1])
            }
            try context.save()
            #expect(try item.names("pages", "name") == ["2", "3", "1"])
            try item.orderedObjects("tags").replaceAll(
                with: try context.fetch(
                    FetchRequest<ManagedObject>("Tag", where: "TRUEPREDICATE")
                ).sorted(using: [FetchSortDescriptor("name", ascending: false)]))
            try pages.move(try #require(try pages.member(at: 0)), to: 2)
            try context.delete(try context.only("Bolt", where: "name == 'new'"))
            try context.moveItem(to: stack.stores[0])
            try context.save()
        }

        #expect(try stack.content(of: 0) == before)
        #expect(try stack.content(of: 1) == [])
    }

    @Test(arguments: MoveStack.neighbours)
    func `is refused by name, before anything changes, if a relationship would lead across stores`(
        _ types: [StoreType]
    ) throws {
        let stack = try MoveStack(types)
        try stack.fill()
        try stack.inContext { context in
            let pin = try context.insert("Pin", ["target": try context.only("Item")])
            try context.assign(pin, to: stack.stores[0])
            try pin.objects("marks").insert(try context.only("BigPart"))
            try context.save()
        }

        try stack.inContext { context in
            func refusal(_ objects: [ManagedObject]) throws -> String {
                guard
                    case .relationshipAcrossStores(let entity, let name, _, _)? = try graphError({
                        try context.move(objects, to: stack.stores[1])
                    })
                else { return "not refused" }
                return "\(entity).\(name)"
            }
            let item = try context.only("Item")
            let tags = Array(try item.orderedObjects("tags") as OrderedObjects<ManagedObject>)
            let found = [
                try refusal([item]), try refusal([tags[0]]), try refusal([item] + tags),
                try refusal([try context.only("BigPart")]),
            ]
            #expect(found == ["Item.tags", "Tag.items", "Pin.target", "BigPart.item"])
            try context.only("Pin").setValue(nil, forKey: "target")
            #expect(try refusal([item] + tags) == "Pin.marks")
            context.rollback()
            #expect(!context.hasChanges)
            // What is new or has changed counts as it is in the context.
            try context.delete(try context.only("Pin"))
            let shelf = try context.insert("Shelf", ["name": "new"])
            try context.assign(shelf, to: stack.stores[0])
            try item.setValue(shelf, forKey: "shelf")
            #expect(try refusal([item] + tags) == "Item.shelf")
            try context.assign(shelf, to: stack.stores[1])
            try context.moveItem(to: stack.stores[1])
            try context.save()
            #expect(shelf.objectID.store == item.objectID.store)
        }

        #expect(try stack.content(of: 0) == [])
        #expect(try stack.content(of: 1).count == 12)
    }

    @Test(arguments: MoveStack.neighbours)
    func `is refused by the save, which changes nothing, if a relationship was set since`(
        _ types: [StoreType]
    ) throws {
        let stack = try MoveStack(types)
        try stack.fill()
        let before = try stack.content(of: 0)

        try stack.inContext { context in
            let item = try context.moveItem(to: stack.stores[1])
            let id = item.objectID
            let pin = try context.insert("Pin", ["target": item])
            try context.assign(pin, to: stack.stores[0])
            guard
                case .relationshipAcrossStores("Pin", "target", _, id)? = try graphError({
                    try context.save()
                })
            else {
                Issue.record("not refused")
                return
            }
            #expect(item.objectID == id)
            #expect(context.hasChanges)
            #expect(item.changedValues().isEmpty)
            #expect(item.hasPersistentChangedValues)
            try context.delete(pin)
            try context.save()
        }

        #expect(try stack.content(of: 0) == [])
        #expect(try stack.content(of: 1) == before)
    }

    @Test(arguments: SeveralStack.combinations)
    func `is refused by name if one of the stores cannot take part`(_ types: [StoreType]) throws {
        let first = types.first { $0 != .inMemory } ?? .sqlite
        let stack = try MoveStack([first, types[1], types[0]])
        try stack.fill()
        let stranger = try MoveStack([.inMemory])
        try stack.inContext { context in
            let item = try context.only("Item")
            let wrong = try graphError { try context.move(item, to: stack.stores[2]) }
            guard case .entityNotTaken("Item", by: _, reason: .notInConfiguration)? = wrong else {
                Issue.record("\(wrong as Any)")
                return
            }
            let strange = try graphError { try context.move(item, to: stranger.stores[0]) }
            guard case .unknownStore? = strange else {
                Issue.record("\(strange as Any)")
                return
            }
            let another = ManagedObjectContext(concurrencyType: .privateQueue)
            another.persistentStoreCoordinator = stack.coordinator
            let others = try graphError {
                try another.performAndWait { try another.move(item, to: stack.stores[1]) }
            }
            guard case .wrongContext? = others else {
                Issue.record("\(others as Any)")
                return
            }
            try context.delete(item)
            guard
                case .objectGone? = try graphError({
                    try context.move(item, to: stack.stores[1])
                })
            else {
                Issue.record("a deleted object moves")
                return
            }
        }
        try stack.close()
        let shipped = try MoveStack(
            [first, .inMemory], in: stack.folder, options: [[.readOnly: true]])
        try shipped.inContext { context in
            let item = try context.only("Item")
            guard
                case .store(.readOnly(shipped.stores[0].request.location))? = try graphError({
                    try context.move(item, to: shipped.stores[1])
                })
            else {
                Issue.record("moved out of a read-only store")
                return
            }
        }
    }

    @Test(arguments: MoveStack.neighbours)
    func `is shown by fetches at once, and is taken back by rollback, refresh, or a move back`(
        _ types: [StoreType]
    ) throws {
        let stack = try MoveStack(types)
        try stack.fill()
        let before = try stack.content(of: 0)

        try stack.inContext { context in
            func counts() throws -> [Int] {
                try stack.stores.map { store in
                    var request = FetchRequest<ManagedObject>("Item")
                    request.affectedStores = [store]
                    return try context.count(for: request)
                }
            }
            let item = try context.moveItem(to: stack.stores[1])
            #expect(try counts() == [0, 1])
            context.rollback()
            #expect(try counts() == [1, 0])
            try context.moveItem(to: stack.stores[1])
            try context.moveItem(to: stack.stores[0])
            #expect(try counts() == [1, 0])
            try context.save()
            #expect(item.rowVersion == 1)
            try context.moveItem(to: stack.stores[1])
            for object in context.updatedObjects {
                try context.refresh(object, mergeChanges: false)
            }
            #expect(try counts() == [1, 0])
            #expect(!context.hasChanges)
            try context.moveItem(to: stack.stores[1])
            try context.delete(item)
            try context.save()
        }

        #expect(try stack.content(of: 0).isEmpty)
        #expect(try stack.content(of: 1).map { $0.prefix(3) } == ["Tag", "Tag"])
        #expect(before.count == 11)
    }

    @Test(arguments: MoveStack.neighbours)
    func `is a deletion and an insertion for other contexts`(_ types: [StoreType]) throws {
        let stack = try MoveStack(types)
        try stack.fill()
        let byFeed = ContextHandle(coordinator: stack.coordinator)
        let byNotification = ContextHandle(coordinator: stack.coordinator)
        let formerID = try byFeed.performAndWait { context in
            context.automaticallyMergesChangesFromParent = true
            context.retainsRegisteredObjects = true
            return try context.only("Item").objectID
        }
        try byNotification.performAndWait { context in
            context.retainsRegisteredObjects = true
            _ = try context.only("Item")
        }
        let newID = try stack.inContext { context in
            let item = try context.moveItem(to: stack.stores[1])
            let posted = Posted()
            let observer = NotificationCenter.default.addObserver(
                forName: ManagedObjectContext.didSaveObjectsNotification, object: context,
                queue: nil
            ) { posted.notification = $0 }
            defer { NotificationCenter.default.removeObserver(observer) }
            try context.save()
            try byNotification.performAndWait { other in
                try other.mergeChanges(fromContextDidSave: try #require(posted.notification))
            }
            return item.objectID
        }

        for handle in [byFeed, byNotification] {
            try handle.performAndWait { context in
                #expect(!context.registeredObjects.contains { $0.objectID == formerID })
                guard
                    case .objectGone? = try graphError({
                        _ = try context.existingObject(with: formerID)
                    })
                else {
                    Issue.record("the former object is still there")
                    return
                }
                #expect(try context.only("Item").objectID == newID)
            }
        }
    }

    @Test(arguments: MoveStack.neighbours)
    func `may be made by a child, whose objects stay the same`(_ types: [StoreType]) throws {
        let stack = try MoveStack(types)
        try stack.fill()
        let before = try stack.content(of: 0)
        let parent = ContextHandle(coordinator: stack.coordinator)

        try ContextHandle(parent: parent).performAndWait { child in
            child.retainsRegisteredObjects = true
            let item = try child.moveItem(to: stack.stores[1])
            try item.setValue("changed", forKey: "name")
            try child.save()
            #expect(try stack.content(of: 0) == before)
            try item.setValue("Épée", forKey: "name")
            let part = try child.only("BigPart")
            try part.setValue(8, forKey: "size")
            try child.save()
            try part.setValue(7, forKey: "size")
            try parent.performAndWait { try $0.save() }

            #expect(try child.only("Item") === item)
            #expect(item.objectID.store == stack.stores[1].number)
            #expect(try item.names("parts", "name") == ["a", "b"])
            #expect(try item.names("pages", "name") == ["3", "1", "2"])
            #expect(part.changedValues() == ["size": 7])
            try child.save()
            try parent.performAndWait { try $0.save() }
        }

        #expect(try stack.content(of: 0) == [])
        #expect(try stack.content(of: 1) == before)
    }

    @Test(arguments: MoveStack.neighbours)
    func `meets the changes of others as every save does`(_ types: [StoreType]) throws {
        let stack = try MoveStack(types)
        try stack.fill()

        try stack.inContext { context in
            let item = try context.moveItem(to: stack.stores[1])
            try stack.inContext { other in
                try other.only("Item").setValue("other", forKey: "name")
                try other.save()
            }
            guard case .mergeConflicts(let found)? = try graphError({ try context.save() }) else {
                Issue.record("no conflict")
                return
            }
            #expect(found.map(\.objectID) == [item.objectID])
            // The move is kept, with the values that the policy chooses.
            context.mergePolicy = .mergeByPropertyStoreTrump
            try context.save()
            #expect(try item.value(forKey: "name") as? String == "other")
            #expect(item.objectID.store == stack.stores[1].number)
        }
        #expect(try stack.content(of: 0) == [])

        // A part that another context has added in the meantime does not get lost.
        try stack.inContext { context in
            let item = try context.moveItem(to: stack.stores[0])
            try stack.inContext { other in
                let part = try other.insert("Part", ["name": "late"])
                try other.assign(part, to: stack.stores[1])
                try part.setValue(try other.only("Item"), forKey: "item")
                try other.save()
            }
            context.mergePolicy = .mergeByPropertyObjectTrump
            guard case .referenceConflicts? = try graphError({ try context.save() }) else {
                Issue.record("no conflict")
                return
            }
            #expect(item.objectID.store == stack.stores[1].number)
            context.rollback()
            try context.refreshAllObjects()
            try context.moveItem(to: stack.stores[0])
            try context.save()
        }
        #expect(try stack.content(of: 1) == [])
        #expect(try stack.content(of: 0).count == 12)
    }

    @Test(arguments: MoveStack.neighbours)
    func `keeps values unique in the new store`(_ types: [StoreType]) throws {
        let stack = try MoveStack(types)
        try stack.fill()
        try stack.inContext { context in
            let twin = try context.insert("Item", ["name": "twin", "code": "1"])
            try context.assign(twin, to: stack.stores[1])
            try context.save()
        }

        try stack.inContext { context in
            let item = try context.only("Item", where: "name != 'twin'")
            try item.orderedObjects("tags").removeAll()
            try context.move(item, to: stack.stores[1])
            guard case .constraintConflicts(let found)? = try graphError({ try context.save() })
            else {
                Issue.record("no conflict")
                return
            }
            #expect(found.map(\.conflictingObjects) == [[item.objectID]])
            #expect(item.objectID.store == stack.stores[0].number)
            context.mergePolicy = .mergeByPropertyObjectTrump
            try context.save()
            #expect(try context.only("Item") === item)
        }
        #expect(try stack.content(of: 1).filter { $0.hasPrefix("Item") }.count == 1)
    }

    @Test(arguments: MoveStack.neighbours)
    func `forgets what could be undone, and keeps transient values`(_ types: [StoreType]) throws {
        let stack = try MoveStack(types)
        try stack.fill()

        try stack.inContext { context in
            context.undoManager = UndoManager()
            let item = try context.moveItem(to: stack.stores[1])
            let tag = try context.only("Tag", where: "name == 'x'")
            try item.setValue(tag, forKey: "favourite")
            try item.setValue("changed", forKey: "name")
            context.processPendingChanges()
            context.undo()
            #expect(try item.value(forKey: "name") as? String == "Épée")
            try item.setValue(tag, forKey: "favourite")
            try context.save()

            #expect(context.undoManager?.canUndo == false)
            #expect(item.objectID.store == stack.stores[1].number)
            #expect(try item.value(forKey: "favourite") as? ManagedObject === tag)
        }
    }

    @Test(arguments: SeveralStack.combinations) @MainActor
    func `may be saved in the background`(_ types: [StoreType]) async throws {
        let stack = try MoveStack(Array(types.prefix(2)))
        try stack.fill()
        let before = try stack.content(of: 0)
        let context = ManagedObjectContext(coordinator: stack.coordinator)
        try context.moveItem(to: stack.stores[1])

        try await context.saveInBackground()

        #expect(try stack.content(of: 1) == before)
        #expect(try stack.content(of: 0) == [])
    }

    @Test(arguments: MoveStack.neighbours)
    func `calls the hooks of a change`(_ types: [StoreType]) throws {
        let stack = try MoveStack(types)
        try stack.fill()

        let saves = try ContextHandle(
            coordinator: stack.coordinator,
            classes: ObjectClasses(byEntity: ["Cover": MovedCover.self])
        ).performAndWait { context in
            let cover = try #require(try context.only("Cover") as? MovedCover)
            try context.moveItem(to: stack.stores[1])
            try context.save()
            return [cover.prepared, cover.saved]
        }

        #expect(saves == [1, 1])
    }

    /// A results controller of one store loses the object when it moves, and one of the other store gets it.
    @Test(arguments: SeveralStack.combinations) @MainActor
    func `is followed by results controllers`(_ types: [StoreType]) throws {
        let stack = try MoveStack(Array(types.prefix(2)))
        try stack.fill()
        let context = ManagedObjectContext(coordinator: stack.coordinator)
        let controllers = try stack.stores.map { store in
            var request = FetchRequest<ManagedObject>("Item")
            request.sortDescriptors = [FetchSortDescriptor("name")]
            request.affectedStores = [store]
            let controller = FetchedResultsController(
                fetchRequest: request, managedObjectContext: context)
            try controller.performFetch()
            return controller
        }
        let item = try context.moveItem(to: stack.stores[1])
        context.processPendingChanges()
        let moved = controllers.map { $0.fetchedObjects ?? [] }
        try context.save()
        let ids = controllers.map { $0.snapshot.objectIDs }

        #expect(moved == [[], [item]])
        #expect(ids == [[], [item.objectID]])
    }
}

final class MovedCover: ManagedObject, SavePreparing {
    var prepared = 0
    var saved = 0

    func prepareForSave() { prepared += 1 }
    override func didSave() { saved += 1 }
}

/// The last notification that a context posted.
private final class Posted: @unchecked Sendable {
    // Unchecked because the context posts in its own turn, and the test reads it there.
    var notification: Notification?
}
