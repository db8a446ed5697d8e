import Cairn
import Foundation
import GraphSupport
import Observation
import Testing

/// The Observation framework's asynchronous sequence, for objects of a main-queue context.
@Suite(.timeLimit(.minutes(5))) struct `Observations of an object` {
    @Test(arguments: chosenEngines)
    @MainActor func `report its value, and each new value`(_ type: StoreType) async throws {
        guard #available(macOS 26, iOS 26, *) else { return }
        let stack = try Library.stack(type)
        let context = ManagedObjectContext(coordinator: stack.coordinator)
        context.observesObjects = true
        let tag = try context.insert("Tag", ["name": "first"])
        let names = Observations { (try? tag.value(forKey: "name")) as? String }

        var iterator = names.makeAsyncIterator()
        var seen = [await iterator.next(isolation: MainActor.shared)]
        for name in ["second", "third"] {
            Task { @MainActor in try tag.setValue(name, forKey: "name") }
            seen.append(await iterator.next(isolation: MainActor.shared))
        }

        #expect(seen == ["first", "second", "third"])
    }

    @Test(arguments: chosenEngines)
    @MainActor func `report what an undo changes`(_ type: StoreType) async throws {
        guard #available(macOS 26, iOS 26, *) else { return }
        let stack = try Library.stack(type)
        let context = ManagedObjectContext(coordinator: stack.coordinator)
        context.observesObjects = true
        let tag = try context.insert("Tag", ["name": "first"])
        try context.save()
        context.undoManager?.endEvent()
        try tag.setValue("second", forKey: "name")
        let names = Observations { (try? tag.value(forKey: "name")) as? String }

        var iterator = names.makeAsyncIterator()
        var seen = [await iterator.next(isolation: MainActor.shared)]
        Task { @MainActor in context.undo() }
        seen.append(await iterator.next(isolation: MainActor.shared))

        #expect(seen == ["second", "first"])
    }

    @Test(arguments: chosenEngines)
    @MainActor func `report the members of a relationship`(_ type: StoreType) async throws {
        guard #available(macOS 26, iOS 26, *) else { return }
        let stack = try Library.stack(type)
        let context = ManagedObjectContext(coordinator: stack.coordinator)
        context.observesObjects = true
        let author = try context.insert("Author")
        let counts = Observations { try? author.objects("books").count }

        var iterator = counts.makeAsyncIterator()
        var seen = [await iterator.next(isolation: MainActor.shared)]
        Task { @MainActor in _ = try context.insert("Book", ["author": author]) }
        seen.append(await iterator.next(isolation: MainActor.shared))

        #expect(seen == [0, 1])
    }
}
