import CairnModel
import StackSupport
import Testing

@testable import CairnObjects

@Suite struct `A context's current event` {
    private let context: ManagedObjectContext
    private let recorder = EventRecorder()
    private var events: ContextEvents { context.events }

    init() throws {
        context = try MusicStack().context()
        context.observers.add(recorder)
    }

    private func savedTag() throws -> ManagedObject {
        let tag = try context.insertNewObject(forEntityName: "Tag")
        try tag.setValue("old", forKey: "name")
        try context.save()
        recorder.events = []
        return tag
    }

    @Test func `continues while it is held`() throws {
        let tag = try savedTag()

        try events.hold {
            try tag.setValue("new", forKey: "name")
            events.end()
        }
        let toldWhileHeld = recorder.events.count
        events.end()

        #expect(toldWhileHeld == 0)
        #expect(recorder.events.map(\.updated) == [[tag]])
    }

    @Test func `is no longer held after an error`() throws {
        struct Failure: Error {}

        #expect(throws: Failure.self) {
            try events.hold { () throws(Failure) in throw Failure() }
        }

        #expect(!events.isHeld)
    }

    @Test func `is reverted without notifying observers`() throws {
        let tag = try savedTag()
        let new: ManagedObject = try events.hold {
            try tag.setValue("new", forKey: "name")
            return try context.insertNewObject(forEntityName: "Tag")
        }

        events.revert()
        context.tracker.prune()

        #expect(try tag["name"] == .string("old"))
        #expect(new.owner == nil)
        #expect(!context.hasChanges)
        #expect(recorder.events.isEmpty)
        #expect(events.journal.isEmpty)
    }

    @Test func `holds prefetched objects until the turn ends`() throws {
        weak var held: ManagedObject?
        do {
            let tag = try savedTag()
            held = tag
            events.holdUntilEndOfTurn([tag])
        }
        let isHeldBefore = held != nil

        events.endTurn()

        #expect(isHeldBefore)
        #expect(held == nil)
        #expect(!events.hasWorkAtEndOfTurn)
    }
}
