import Cairn
import Foundation
import GraphSupport
import Testing

/// How a new object behaves after a save gave its values to a stored object that the program holds, so that
/// the new object left its context.
@Suite struct `A superseded object` {
    /// Saves a new ticket that has the code of a stored ticket which the program holds. Calls the body with
    /// both.
    private func withTickets(
        _ type: StoreType,
        _ body:
            @Sendable (
                _ new: Ticket, _ stored: Ticket, _ context: ManagedObjectContext
            ) throws -> Void
    ) throws {
        let (stack, id) = try BoxOffice.filled(type)
        try BoxOffice.inContext(of: stack) { context throws in
            context.faultFailureHandler = { error, _ in
                Issue.record("a value could not be had: \(error)")
            }
            let stored = try #require(try context.existingObject(with: id) as? Ticket)
            let new = try #require(
                try context.insert("Ticket", ["code": "1", "price": 9]) as? Ticket)
            _ = try context.insert("Stub", ["name": "a", "ticket": new])
            try context.save()
            try body(new, stored, context)
        }
    }

    @Test(arguments: chosenEngines)
    func `has the attributes of the stored one, also after that is changed`(
        _ type: StoreType
    ) throws {
        try withTickets(type) { new, stored, _ throws in
            try stored.setValue(7, forKey: "seat")

            #expect(new.seat == 7)
            #expect(try new["seat"] == 7)
            #expect(try new.value(forKey: "seat") as? Int64 == 7)
            #expect(try new.value(forKeyPath: "seat") as? Int64 == 7)
            #expect(new.primitiveValue(forKey: "seat") as? Int64 == 7)
            #expect(new.committedValues(forKeys: ["seat"]) == ["seat": 5])
        }
    }

    @Test(arguments: chosenEngines)
    func `has the to-one of the stored one`(_ type: StoreType) throws {
        try withTickets(type) { new, stored, _ throws in
            let show = try #require(stored.show)

            #expect(new.show === show)
            #expect(try new["show"] == .objectID(show.objectID))
            #expect(try new.value(forKey: "show") as? ManagedObject === show)
            #expect(try new.value(forKeyPath: "show.title") as? String == "old")
            #expect(new.primitiveValue(forKey: "show") as? ManagedObject === show)
            #expect(try new.objectIDs(forRelationshipNamed: "show") == [show.objectID])
            #expect(try new.hasFault(forRelationshipNamed: "show") == show.isFault)
        }
    }

    @Test(arguments: chosenEngines)
    func `has the to-manys of the stored one`(_ type: StoreType) throws {
        try withTickets(type) { new, _, _ throws in
            #expect(try new.names("tags", "name") == ["stored"])
            #expect(try new.names("stubs", "name") == ["a"])
            #expect(try new.objects("tags").count == 1)
            #expect(try new.orderedObjects("stubs").member(at: 0)?["name"] == "a")
            #expect(try new.value(forKeyPath: "tags.@count") as? Int64 == 1)
            #expect(try new.objectIDs(forRelationshipNamed: "stubs").count == 1)
        }
    }

    @Test(arguments: chosenEngines)
    func `has no state of its own, and cannot be changed`(_ type: StoreType) throws {
        try withTickets(type) { new, stored, context throws in
            let id = stored.objectID
            let error = #expect(throws: GraphError.self) { try new.setValue(1, forKey: "seat") }

            guard case .objectGone(id, _) = error else {
                Issue.record("not gone: \(String(describing: error))")
                return
            }
            #expect(!new.isInserted && !new.hasChanges && !new.isDeleted)
            #expect(new.changedValues().isEmpty)
            #expect(!context.hasChanges)
        }
    }

    @Test(arguments: chosenEngines)
    func `reports a change by a non-throwing setter to its handler`(_ type: StoreType) throws {
        try withTickets(type) { new, stored, context throws in
            var failures: [ObjectID] = []
            context.faultFailureHandler = { failures.append($1.objectID) }
            new.seat = 1

            #expect(failures == [stored.objectID])
            #expect(try stored["seat"] == 5)
        }
    }

    @Test(arguments: chosenEngines)
    func `has the stored values after a reset`(_ type: StoreType) throws {
        try withTickets(type) { new, _, context throws in
            context.reset()

            #expect(try new["seat"] == 5)
            #expect(try new.value(forKeyPath: "show.title") as? String == "old")
        }
    }

    @Test(arguments: chosenEngines)
    func `keeps the stored values after its context was released, and reports the rest`(
        _ type: StoreType
    ) throws {
        let left = LeftObject()
        try withTickets(type) { new, _, context throws in
            context.faultFailureHandler = { error, _ in left.failures.append(error) }
            left.object = new
        }
        let new = try #require(left.object as? Ticket)

        #expect(new.seat == 5)
        #expect(try new["show"] != .null)
        #expect(left.failures.isEmpty)
        #expect(new.show == nil)
        #expect(left.failures.count == 1)
        #expect(throws: GraphError.self) { try new.value(forKey: "show") }
        #expect(throws: GraphError.self) { try new.objects("tags") }
    }

    @Test(arguments: chosenEngines)
    func `of another entity also has the stored values`(_ type: StoreType) throws {
        let stack = try BoxOffice.stack(type)
        try stack.fill { context throws in
            let show = try context.insert("Show", ["title": "old"])
            _ = try context.insert(
                "SeasonTicket", ["code": "1", "seat": 5, "year": 3, "show": show])
        }
        try BoxOffice.inContext(of: stack) { context throws in
            let new = try #require(
                try context.insert("Ticket", ["code": "1", "price": 9]) as? Ticket)
            try context.save()
            let stored = try context.only("Ticket")
            try stored.setValue(6, forKey: "seat")

            #expect(new.seat == 6)
            #expect(new.show === (try stored.value(forKey: "show") as? ManagedObject))
        }
    }
}
