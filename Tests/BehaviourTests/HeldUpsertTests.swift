import Cairn
import Foundation
import GraphSupport
import Testing

/// Cases in which the saving context holds the stored object, or several new objects with its unique value.
extension `An upserted object` {
    @Test(arguments: chosenEngines, policies)
    func `leaves the context if the stored one is held, but still shows the stored values`(
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
    func `that refers to itself and to similar ones refers to the stored ones`(
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
    func `is the last of several with the same value, and the others show its values`(
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
}
