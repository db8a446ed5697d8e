import CairnMacros
import Foundation
import Synchronization
import Testing

/// Counts the values that were evaluated.
private enum Counter {
    private static let count = Mutex(0)

    static var value: Int { count.withLock { $0 } }

    static func next() -> Int {
        count.withLock {
            $0 += 1
            return $0
        }
    }
}

@Entity class Receipt: ManagedObject {
    var id: UUID = UUID()
    var made: Date = .now
    var token: UUID? = UUID()
    var label: Optional<String> = "receipt \(UUID())"
    var sum: Int = -5
    var mood: Mood = .calm
    @Attribute(default: Mood.angry) var temper: Mood = Mood.calm
    @Transient var session: UUID = UUID()
    @Transient var idWhenAwake: UUID?
    @Transient var tokenWhenAwake: UUID?

    override func awakeFromInsert() {
        super.awakeFromInsert()
        (idWhenAwake, tokenWhenAwake) = (id, token)
    }
}

/// Initial values in every form of expression that a property may have.
@Entity final class Ticket: ManagedObject {
    var row: Int = Int.random(in: 1...1)
    var seat: String = Self.makeSeat()
    var code: String? = Self.makeSeat()
    var door: String = if Bool.random() { "A" } else { "A" }
    var gate: Int = { 4 }()
    var price: Double = -.pi
    var names: [String] = []
    var tags: [String] = ["a", makeTag()]
    var isOpen: Bool = !false
    var text: String = """
        \(1 + 1)
        """

    private static func makeSeat() -> String { "12" }
}

private func makeTag() -> String { "b" }

@Entity final class Refund: Receipt {
    var approval: UUID = UUID()
}

@Entity final class Numbered: ManagedObject {
    @Unique var name: String = ""
    var number: Int = Counter.next()
    var note: String = ""
}

@Suite(.serialized) struct `Initial values that are not literals` {
    private static let model = Result {
        try ManagedObjectModel(for: Receipt.self, Refund.self, Numbered.self, Ticket.self)
    }

    private func coordinator() throws -> PersistentStoreCoordinator {
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try Self.model.get())
        try coordinator.addPersistentStore(ofType: .inMemory, at: nil)
        return coordinator
    }

    private func inContext<Result: Sendable>(
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) throws -> Result {
        try ContextHandle(coordinator: try coordinator()).performAndWait(body)
    }

    @Test func `are no defaults of the model, unlike literals`() throws {
        let entity = try #require(try Self.model.get().entity(named: "Receipt"))

        let defaults = entity.attributes.filter { !$0.description.defaultValue.isNull }.map(\.name)

        #expect(Set(defaults) == ["sum", "temper"])
        #expect(entity.attribute(named: "temper")?.description.defaultValue == .string("angry"))
    }

    @Test func `are evaluated for each object, however it is created`() throws {
        try inContext { context in
            let receipts = try [
                Receipt(context: context), Receipt(context: context), Refund(context: context),
                context.insert(Receipt.self), context.insert(Refund.self),
                #require(context.insertNewObject(forEntityName: "Receipt") as? Receipt),
                #require(context.insertNewObject(forEntityName: "Refund") as? Refund),
                Receipt(context: context, sum: 1), Refund(context: context, approval: UUID()),
            ]
            let approvals = receipts.compactMap { ($0 as? Refund)?.approval }

            #expect(Set(receipts.map(\.id)).count == receipts.count)
            #expect(Set(receipts.map(\.token)).count == receipts.count)
            #expect(Set(receipts.map(\.label)).count == receipts.count)
            #expect(Set(receipts.map(\.session)).count == receipts.count)
            #expect(Set(receipts.map(\.made)).count > 1)
            #expect(Set(approvals).count == approvals.count)
            #expect(receipts.allSatisfy { $0.mood == .calm && $0.temper == .calm })
        }
    }

    @Test func `may be any expression`() throws {
        try inContext { context in
            let tickets = try [Ticket(context: context), context.insert(Ticket.self)]

            for ticket in tickets {
                #expect((ticket.row, ticket.seat, ticket.code) == (1, "12", "12"))
                #expect((ticket.door, ticket.gate, ticket.price) == ("A", 4, -.pi))
                #expect((ticket.names, ticket.tags) == ([], ["a", "b"]))
                #expect(ticket.isOpen && ticket.text == "2")
            }
        }
    }

    @Test func `are there in awakeFromInsert, and are evaluated once`() throws {
        try inContext { context in
            let before = Counter.value
            let receipts = try [
                Receipt(context: context), context.insert(Refund.self),
                Receipt(context: context, sum: 2),
            ]
            let numbers = try (0..<3).map { _ in try Numbered(context: context, name: "a").number }

            for receipt in receipts {
                #expect(receipt.idWhenAwake == receipt.id)
                #expect(receipt.tokenWhenAwake == receipt.token)
                #expect(receipt.token != nil)
            }
            #expect(numbers == [before + 1, before + 2, before + 3])
        }
    }

    @Test func `yield to values that the caller gives, and to nil`() throws {
        try inContext { context in
            let (id, token) = (UUID(), UUID())

            let given = try Receipt(context: context, id: id, token: token, mood: .angry)
            let none = try Receipt(context: context, token: nil)

            #expect((given.id, given.token) == (id, token))
            #expect(given.mood == .angry)
            #expect(none.token == nil && none.tokenWhenAwake == nil)
        }
    }

    @Test func `are given to objects that are created without their class`() throws {
        try inContext { context in
            let objects = try (0..<2).map { _ in
                try context.insertNewObject(forEntityName: "Receipt")
            }
            let ids = try objects.map { try $0.value(forKey: "id") as? UUID }
            try context.save()

            #expect(Set(ids.compactMap(\.self)).count == 2)
        }
    }

    @Test func `are saved, and stay when objects are fetched, changed and refreshed`() throws {
        try inContext { context in
            let receipts = try [Receipt(context: context), Refund(context: context)]
            let ids = receipts.map(\.id)
            try context.save()
            let saved = receipts.map(\.id)
            try context.refreshAllObjects()
            let refreshed = receipts.map(\.id)
            receipts[0].sum = 9
            try context.save()
            context.reset()
            let fetched = try context.fetch(FetchRequest<Receipt>("Receipt")).map(\.id)

            #expect(saved == ids && refreshed == ids)
            #expect(Set(fetched) == Set(ids))
        }
    }

    @Test func `of transient attributes are evaluated for fetched objects, too`() throws {
        try inContext { context in
            for _ in 0..<2 { _ = try Receipt(context: context) }
            try context.save()
            context.reset()
            let receipts = Array(try context.fetch(FetchRequest<Receipt>("Receipt")))

            let sessions = receipts.map(\.session)

            #expect(Set(sessions).count == 2)
            #expect(receipts.map(\.session) == sessions)
            #expect(!receipts.contains { $0.hasChanges })
        }
    }

    @Test func `come with the object from a child context`() throws {
        let parent = ContextHandle(
            coordinator: try coordinator(), classes: ObjectClasses([Receipt.self, Numbered.self]))
        let before = Counter.value
        let (id, token, session, number) = try ContextHandle(parent: parent).performAndWait {
            child in
            let receipt = try Receipt(context: child)
            let number = try Numbered(context: child, name: "child").number
            let session = receipt.session
            try child.save()
            return (receipt.id, receipt.token, session, number)
        }

        try parent.performAndWait { context in
            let receipt = try #require(try context.fetch(FetchRequest<Receipt>("Receipt")).first)
            let numbered = try #require(
                try context.fetch(FetchRequest<Numbered>("Numbered")).first)
            #expect(receipt.id == id && receipt.token == token && receipt.session == session)
            #expect(receipt.idWhenAwake == receipt.id)
            #expect(numbered.number == number)
        }
        #expect(Counter.value == before + 1)
    }

    @Test func `stay when an insertion is undone and done again`() throws {
        try inContext { context in
            let undo = UndoManager()
            context.undoManager = undo
            let receipt = try Receipt(context: context)
            let (id, made) = (receipt.id, receipt.made)
            context.processPendingChanges()
            let before = Counter.value

            undo.undo()
            undo.redo()

            let again = try #require(context.insertedObjects.first as? Receipt)
            #expect((again.id, again.made) == (id, made))
            #expect(Counter.value == before)
        }
    }

    @Test(arguments: [false, true])
    func `do not replace stored values when a new object becomes a stored one`(
        _ inChild: Bool
    ) throws {
        let handle = ContextHandle(coordinator: try coordinator())
        let number = try handle.performAndWait { context in
            context.mergePolicy = StandardMergePolicy.mergeByPropertyObjectTrump
            let number = try Numbered(context: context, name: "one", note: "old").number
            try context.save()
            return number
        }

        try (inChild ? ContextHandle(parent: handle) : handle).performAndWait { context in
            _ = try Numbered(context: context, name: "one", note: "new")
            try context.save()
        }
        if inChild { try handle.performAndWait { try $0.save() } }

        let all = try handle.performAndWait { context in
            try context.fetch(FetchRequest<Numbered>("Numbered")).map { ($0.number, $0.note) }
        }
        #expect(all.map(\.0) == [number])
        #expect(all.map(\.1) == ["new"])
    }
}
