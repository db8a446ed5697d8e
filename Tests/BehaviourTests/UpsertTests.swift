import Cairn
import Foundation
import GraphSupport
import Testing

/// What becomes of a new object that the program holds, if a stored one has its unique value.
@Suite struct `An upserted object` {
    static let policies: [MergePolicyType] = [
        .mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump, .rollback,
    ]

    /// Returns the values of a ticket, as its accessors that do not throw tell them.
    private static func values(_ ticket: ManagedObject) throws -> [Int64] {
        try ["seat", "price"].map { ticket.int64(at: try #require(ticket.slot(named: $0))) }
    }

    private static func code(_ ticket: ManagedObject) throws -> String? {
        ticket.string(at: try #require(ticket.slot(named: "code")))
    }

    /// Returns the ID that a thrown `.objectGone` has.
    private static func gone(_ body: () throws -> Void) -> ObjectID? {
        do { try body() } catch GraphError.objectGone(let id) { return id } catch {}
        return nil
    }

    // MARK: The stored object is held by nobody

    @Test(arguments: chosenEngines, policies)
    func `becomes the stored one`(_ type: StoreType, _ policy: MergePolicyType) throws {
        let (stack, stored) = try BoxOffice.filled(type)
        try BoxOffice.inContext(of: stack, policy) { context throws in
            let new = try context.insert("Ticket", ["code": "1", "price": 9])
            try context.save()

            let price: Int64 = policy == .mergeByPropertyObjectTrump ? 9 : 0
            #expect(new.objectID == stored)
            #expect(new.managedObjectContext === context)
            #expect(try Self.values(new) == [5, price])
            #expect(!new.isInserted && !new.hasChanges && !context.hasChanges)
            #expect(try context.only("Ticket") === new)
            #expect(context.registeredObject(for: stored) === new)
        }
    }

    @Test(arguments: chosenEngines, policies)
    func `can be changed and saved afterwards`(
        _ type: StoreType, _ policy: MergePolicyType
    ) throws {
        let (stack, stored) = try BoxOffice.filled(type)
        try BoxOffice.inContext(of: stack, policy) { context throws in
            let new = try context.insert("Ticket", ["code": "1", "price": 9])
            try context.save()
            try new.setValue(7, forKey: "seat")
            try context.save()
            try context.delete(try context.insert("Ticket", ["code": "2"]))
        }
        try stack.inContext { context throws in
            let ticket = try context.only("Ticket")
            #expect(ticket.objectID == stored)
            #expect(try ticket["seat"] == 7)
        }
    }

    @Test(arguments: chosenEngines)
    func `has the relationships of both, and what led to it leads there`(_ type: StoreType) throws {
        let (stack, stored) = try BoxOffice.filled(type)
        try BoxOffice.inContext(of: stack) { context throws in
            let old = try context.only("Show")
            let show = try context.insert("Show", ["title": "new"])
            let tag = try context.insert("Tag", ["name": "own"])
            let new = try context.insert("Ticket", ["code": "1", "show": show])
            try new.setValue([tag], forKey: "tags")
            let stubs = try ["b", "a"].map {
                try context.insert("Stub", ["name": $0, "ticket": new])
            }
            let note = try context.insert("Note", ["about": new])
            try context.save()

            #expect(try new.value(forKey: "show") as? ManagedObject === show)
            #expect(try old.names("tickets", "code") == [])
            #expect(try show.names("tickets", "code") == ["1"])
            #expect(try new.names("tags", "name") == ["own", "stored"])
            #expect(try new.names("stubs", "name") == ["b", "a"])
            for stub in stubs {
                #expect(try stub.value(forKey: "ticket") as? ManagedObject === new)
            }
            #expect(try note.value(forKey: "about") as? ManagedObject === new)
        }
        try stack.inContext { context throws in
            let ticket = try context.existingObject(with: stored)
            #expect(try (ticket.value(forKey: "show") as? ManagedObject)?["title"] == "new")
            #expect(try ticket.names("tags", "name") == ["own", "stored"])
            #expect(try ticket.names("stubs", "name") == ["b", "a"])
            #expect(try context.only("Note").value(forKey: "about") as? ManagedObject === ticket)
        }
    }

    @Test(arguments: chosenEngines)
    func `keeps the relationships that it does not set`(_ type: StoreType) throws {
        let (stack, _) = try BoxOffice.filled(type)
        try BoxOffice.inContext(of: stack) { context throws in
            let new = try context.insert("Ticket", ["code": "1", "memo": "mine"])
            try context.save()

            #expect(try (new.value(forKey: "show") as? ManagedObject)?["title"] == "old")
            #expect(try new.names("tags", "name") == ["stored"])
            #expect(try new["memo"] == "mine")
        }
    }

    @Test(arguments: chosenEngines)
    func `is one of many in one save, stored ones and new ones`(_ type: StoreType) throws {
        let stack = try BoxOffice.stack(type)
        try stack.fill { context throws in
            for number in 0..<20 {
                _ = try context.insert("Ticket", ["code": "\(number)", "seat": number])
            }
        }
        try BoxOffice.inContext(of: stack) { context throws in
            let tickets = try (0..<30).map {
                try context.insert("Ticket", ["code": "\($0)", "price": $0 + 1])
            }
            try context.save()

            for (number, ticket) in tickets.enumerated() {
                let seat = number < 20 ? Int64(number) : 0
                #expect(try Self.values(ticket) == [seat, Int64(number) + 1])
                #expect(ticket.managedObjectContext === context)
            }
            #expect(try context.count(for: FetchRequest<ManagedObject>("Ticket")) == 30)
            #expect(Set(tickets.map(\.objectID)).count == 30)
        }
    }

    @Test(arguments: chosenEngines)
    func `has the stored ID also if it had got one of its own`(_ type: StoreType) throws {
        let (stack, stored) = try BoxOffice.filled(type)
        try BoxOffice.inContext(of: stack) { context throws in
            let new = try context.insert("Ticket", ["code": "1"])
            let stub = try context.insert("Stub", ["ticket": new])
            try context.obtainPermanentIDs(for: [new])
            try context.save()

            #expect(new.objectID == stored)
            #expect(try stub.value(forKey: "ticket") as? ManagedObject === new)
            #expect(try Self.values(new) == [5, 0])
        }
    }

    @Test(arguments: chosenEngines)
    func `is found by the ID that it had`(_ type: StoreType) throws {
        let (stack, _) = try BoxOffice.filled(type)
        try BoxOffice.inContext(of: stack) { context throws in
            let new = try context.insert("Ticket", ["code": "1"])
            let former = new.objectID
            try context.save()

            #expect(try context.existingObject(with: former) === new)
        }
    }

    @Test(arguments: chosenEngines)
    func `with two values that a stored one has leaves that one alone`(_ type: StoreType) throws {
        let stack = try BoxOffice.stack(type)
        try stack.fill { context throws in
            _ = try context.insert("Ticket", ["code": "1", "serial": "x", "seat": 5])
        }
        for policy in Self.policies {
            try BoxOffice.inContext(of: stack, policy) { context throws in
                let new = try context.insert("Ticket", ["code": "1", "serial": "x"])
                try context.save()

                #expect(try context.only("Ticket") === new)
                #expect(try Self.values(new).first == 5)
            }
        }
    }

    // MARK: What is told

    @Test(arguments: chosenEngines)
    func `is told of as updated, by its stored ID`(_ type: StoreType) throws {
        let (stack, stored) = try BoxOffice.filled(type)
        try BoxOffice.inContext(of: stack) { context throws in
            let new = try context.insert("Ticket", ["code": "1", "price": 9])
            context.processPendingChanges()
            let changes = NotificationInbox(
                ManagedObjectContext.didChangeObjectsNotification, of: context)
            let saves = NotificationInbox(
                ManagedObjectContext.didSaveObjectsNotification, of: context)
            let ids = NotificationInbox(
                ManagedObjectContext.didSaveObjectIDsNotification, of: context)
            try context.save()

            #expect(changes.objects(.deletedObjects).isEmpty)
            #expect(changes.objects(.updatedObjects) == [new])
            #expect(saves.objects(.insertedObjects).isEmpty)
            #expect(saves.objects(.updatedObjects) == [new])
            #expect(ids.ids(.updatedObjectIDs) == [stored])
        }
    }

    @Test(arguments: chosenEngines)
    func `is shown once by a results controller`(_ type: StoreType) throws {
        let (stack, _) = try BoxOffice.filled(type)
        try BoxOffice.inContext(of: stack) { context throws in
            var request = FetchRequest<ManagedObject>("Ticket")
            request.sortDescriptors = [FetchSortDescriptor("code")]
            let controller = FetchedResultsController(
                fetchRequest: request, managedObjectContext: context)
            try controller.performFetch()
            let new = try context.insert("Ticket", ["code": "1", "price": 9])
            try context.save()
            let shown = try #require(controller.fetchedObjects)

            #expect(shown.count == 1)
            #expect(try Self.values(try #require(shown.first)) == [5, 9])
            #expect(try Self.values(new) == [5, 9])
        }
    }

    // MARK: The stored object is held

    @Test(arguments: chosenEngines, policies)
    func `leaves the context if the stored one is held, and still tells what was stored`(
        _ type: StoreType, _ policy: MergePolicyType
    ) throws {
        let (stack, id) = try BoxOffice.filled(type)
        try BoxOffice.inContext(of: stack, policy) { context throws in
            let stored = try context.existingObject(with: id)
            let new = try context.insert("Ticket", ["code": "1", "price": 9, "memo": "mine"])
            let former = new.objectID
            let stub = try context.insert("Stub", ["ticket": new])
            try context.save()

            let price: Int64 = policy == .mergeByPropertyObjectTrump ? 9 : 0
            for ticket in [stored, new] {
                #expect(try Self.values(ticket) == [5, price])
                #expect(try Self.code(ticket) == "1")
                #expect(ticket.objectID == id)
            }
            #expect(try context.only("Ticket") === stored)
            #expect(try context.existingObject(with: former) === stored)
            #expect(try stub.value(forKey: "ticket") as? ManagedObject === stored)
            #expect(new.managedObjectContext == nil && !new.hasChanges)
            #expect(Self.gone { try new.setValue(1, forKey: "seat") } == id)
            if policy == .mergeByPropertyObjectTrump { #expect(try stored["memo"] == "mine") }
        }
    }

    @Test(arguments: chosenEngines, [true, false])
    func `that leads to itself and to others like it leads to the stored ones`(
        _ type: StoreType, _ isHeld: Bool
    ) throws {
        let (stack, id) = try BoxOffice.filled(type)
        try stack.fill { context throws in _ = try context.insert("Ticket", ["code": "2"]) }
        try BoxOffice.inContext(of: stack) { context throws in
            let held = isHeld ? try context.existingObject(with: id) : nil
            let (first, twin, second) = (
                try context.insert("Ticket", ["code": "1", "seat": 1]),
                try context.insert("Ticket", ["code": "1", "seat": 2]),
                try context.insert("Ticket", ["code": "2"])
            )
            for ticket in [first, twin, second] { try ticket.setValue(twin, forKey: "base") }
            try context.save()

            let stored = held ?? twin
            #expect(stored.objectID == id)
            #expect(try stored.value(forKey: "base") as? ManagedObject === stored)
            #expect(try second.value(forKey: "base") as? ManagedObject === stored)
            #expect(try stored.names("upgrades", "code") == ["1", "2"])
            #expect(try context.count(for: FetchRequest<ManagedObject>("Ticket")) == 2)
        }
    }

    @Test(arguments: chosenEngines)
    func `of another entity than the stored one leaves the context`(_ type: StoreType) throws {
        let stack = try BoxOffice.stack(type)
        try stack.fill { context throws in
            _ = try context.insert("SeasonTicket", ["code": "1", "seat": 5, "year": 3])
        }
        try BoxOffice.inContext(of: stack) { context throws in
            let new = try context.insert("Ticket", ["code": "1", "price": 9])
            try context.save()

            let stored = try context.only("Ticket")
            #expect(stored.entity.name == "SeasonTicket")
            #expect(try Self.values(stored) == [5, 9])
            #expect(try stored["year"] == 3)
            #expect(try Self.values(new) == [5, 9])
            #expect(new.managedObjectContext == nil)
        }
    }

    @Test(arguments: chosenEngines, [true, false])
    func `of several with one value is the last, and the others tell what was stored`(
        _ type: StoreType, _ isStored: Bool
    ) throws {
        let stack = isStored ? try BoxOffice.filled(type).stack : try BoxOffice.stack(type)
        try BoxOffice.inContext(of: stack) { context throws in
            let twins = try (1...3).map {
                try context.insert("Ticket", ["code": "1", "price": $0])
            }
            let former = twins.map(\.objectID)
            let stubs = try twins.map { try context.insert("Stub", ["ticket": $0]) }
            try context.save()

            let last = twins[2]
            #expect(try context.only("Ticket") === last)
            for (twin, id) in zip(twins, former) {
                #expect(try Self.values(twin) == [isStored ? 5 : 0, 3])
                #expect(twin.objectID == last.objectID)
                #expect(try context.existingObject(with: id) === last)
            }
            #expect(twins.map { $0.managedObjectContext == nil } == [true, true, false])
            for stub in stubs {
                #expect(try stub.value(forKey: "ticket") as? ManagedObject === last)
            }
        }
    }

    // MARK: Failure, undo, parents

    private struct Refusing: MergePolicy {
        struct Refusal: Error {}

        func resolve(_ conflicts: [MergeConflict], with resolver: ConflictResolver) throws {}

        func resolve(_ conflicts: [ConstraintConflict], with resolver: ConflictResolver) throws {
            for conflict in conflicts { try resolver.unite(conflict) }
            throw Refusal()
        }
    }

    @Test(arguments: chosenEngines)
    func `is new as before if the save fails after all`(_ type: StoreType) throws {
        let (stack, id) = try BoxOffice.filled(type)
        try stack.inContext { context throws in
            context.mergePolicy = Refusing()
            let show = try context.insert("Show", ["title": "new"])
            let new = try context.insert("Ticket", ["code": "1", "price": 9, "show": show])
            let stubs = try ["a", "b"].map {
                try context.insert("Stub", ["name": $0, "ticket": new])
            }
            let former = new.objectID
            #expect(throws: GraphError.self) { try context.save() }

            #expect(new.isInserted && new.objectID == former)
            #expect(context.registeredObject(for: id) == nil)
            #expect(context.registeredObject(for: former) === new)
            #expect(try Self.values(new) == [0, 9])
            #expect(try new.names("stubs", "name") == ["a", "b"])
            #expect(try show.names("tickets", "code") == ["1"])
            for stub in stubs {
                #expect(try stub.value(forKey: "ticket") as? ManagedObject === new)
            }

            context.mergePolicy = StandardMergePolicy(.mergeByPropertyObjectTrump)
            try context.save()
            #expect(new.objectID == id)
            #expect(try Self.values(new) == [5, 9])
        }
    }

    @Test(arguments: chosenEngines)
    func `is not deleted by the undo of its insertion`(_ type: StoreType) throws {
        let (stack, id) = try BoxOffice.filled(type)
        try BoxOffice.inContext(of: stack) { context throws in
            context.undoManager = UndoManager()
            let new = try context.insert("Ticket", ["code": "1", "price": 9])
            let other = try context.insert("Ticket", ["code": "2"])
            try context.save()
            context.undo()
            let deleted = context.deletedObjects
            try context.save()

            #expect(deleted == [other])
            #expect(try context.only("Ticket") === new)
            #expect(new.objectID == id)
        }
    }

    @Test(arguments: chosenEngines, [true, false])
    func `keeps both ends of relationships together when its insertion is undone`(
        _ type: StoreType, _ isHeld: Bool
    ) throws {
        let (stack, id) = try BoxOffice.filled(type)
        try BoxOffice.inContext(of: stack) { context throws in
            let held = isHeld ? try context.existingObject(with: id) : nil
            let show = try context.insert("Show", ["title": "new"])
            let tag = try context.only("Tag")
            try context.save()
            context.undoManager = UndoManager()
            let new = try context.insert("Ticket", ["code": "1", "show": show])
            try new.setValue([tag], forKey: "tags")
            try context.save()
            context.undo()

            let ticket = held ?? new
            let isLed = try ticket.value(forKey: "show") as? ManagedObject === show
            #expect(try show.names("tickets", "code") == (isLed ? ["1"] : []))
            let isTagged = try ticket.names("tags", "name") == ["stored"]
            #expect(try tag.names("tickets", "code") == (isTagged ? ["1"] : []))
            #expect(!ticket.isDeleted)
        }
    }

    @Test(arguments: chosenEngines)
    func `takes part in undo and redo after it was stored`(_ type: StoreType) throws {
        let (stack, _) = try BoxOffice.filled(type)
        try BoxOffice.inContext(of: stack) { context throws in
            let undoManager = UndoManager()
            undoManager.groupsByEvent = false
            context.undoManager = undoManager
            let new = try context.insert("Ticket", ["code": "1", "price": 9])
            try context.save()
            try new.setValue(8, forKey: "seat")
            context.processPendingChanges()
            try context.delete(new)
            context.processPendingChanges()
            context.undo()
            let afterDeletion = (new.isDeleted, try Self.values(new))
            context.undo()
            let afterChange = try Self.values(new)
            context.redo()
            context.redo()

            #expect(afterDeletion == (false, [8, 9]))
            #expect(afterChange == [5, 9])
            #expect(new.isDeleted)
        }
    }

    @Test(arguments: chosenEngines, [true, false])
    func `that a child handed over is the stored one in the child, too`(
        _ type: StoreType, _ isHeld: Bool
    ) throws {
        let (stack, id) = try BoxOffice.filled(type)
        let parent = ContextHandle(coordinator: stack.coordinator)
        let child = ContextHandle(parent: parent)
        try child.performAndWait { context throws in
            context.retainsRegisteredObjects = true
            if isHeld { _ = try context.existingObject(with: id)["seat"] }
            let new = try context.insert("Ticket", ["code": "1", "price": 9])
            _ = try context.insert("Stub", ["name": "a", "ticket": new])
            try context.save()
        }
        try parent.performAndWait { context throws in
            context.mergePolicy = StandardMergePolicy(.mergeByPropertyObjectTrump)
            try context.save()
        }
        try child.performAndWait { context throws in
            let ticket = try context.only("Ticket")
            #expect(ticket.objectID == id)
            #expect(try Self.values(ticket) == [5, 9])
            #expect(context.registeredObjects.filter { $0.entity.name == "Ticket" } == [ticket])
            #expect(
                try context.only("Stub").value(forKey: "ticket") as? ManagedObject === ticket)
            try ticket.setValue(6, forKey: "seat")
            try context.save()
        }
        try parent.performAndWait { try $0.save() }
        try stack.inContext { context throws in
            let ticket = try context.only("Ticket")
            #expect(try Self.values(ticket) == [6, 9])
        }
    }

    @Test(arguments: chosenEngines) @MainActor
    func `is the stored one after a background save`(_ type: StoreType) async throws {
        let (stack, id) = try BoxOffice.filled(type)
        let context = ManagedObjectContext(coordinator: stack.coordinator)
        context.mergePolicy = StandardMergePolicy(.mergeByPropertyObjectTrump)
        let new = try context.insert("Ticket", ["code": "1", "price": 9])
        try await context.saveInBackground()

        #expect(new.objectID == id)
        #expect(try Self.values(new) == [5, 9])
        #expect(!context.hasChanges)
    }
}
