import Cairn
import Foundation
import GraphSupport
import Testing

/// What happens to a new object that the program holds if a stored object has its unique value.
@Suite struct `An upserted object` {
    static let policies: [MergePolicyType] = [
        .mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump, .rollback,
    ]

    /// Returns the values of a ticket as its nonthrowing accessors return them.
    static func values(_ ticket: ManagedObject) throws -> [Int64] {
        let ticket = try #require(ticket as? Ticket)
        return [ticket.seat, ticket.price]
    }

    static func code(_ ticket: ManagedObject) throws -> String? {
        try #require(ticket as? Ticket).code
    }

    /// Returns the ID of the `.objectGone` error that the body throws.
    static func gone(_ body: () throws -> Void) -> ObjectID? {
        do { try body() } catch GraphError.objectGone(let id, _) { return id } catch {}
        return nil
    }

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
    func `has the relationships of both, including those that referred to it`(_ type: StoreType)
        throws
    {
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
    func `may be saved together with many others, stored and new`(_ type: StoreType) throws {
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
    func `has the stored ID even if it already had one of its own`(_ type: StoreType) throws {
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
    func `is found by its former ID`(_ type: StoreType) throws {
        let (stack, _) = try BoxOffice.filled(type)
        try BoxOffice.inContext(of: stack) { context throws in
            let new = try context.insert("Ticket", ["code": "1"])
            let former = new.objectID
            try context.save()

            #expect(try context.existingObject(with: former) === new)
        }
    }

    @Test(arguments: chosenEngines)
    func `with two unique values of a stored one leaves the stored one unchanged`(_ type: StoreType)
        throws
    {
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

    // MARK: Notifications and changes

    @Test(arguments: chosenEngines)
    func `is reported as updated, by its stored ID`(_ type: StoreType) throws {
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
}
