import Foundation
import Observation
import SwiftData
import Synchronization
import Testing

@Suite struct `Observers` {
    /// Returns how often observers of a reading are notified while a closure runs.
    private func notifications(of read: () -> Void, while change: () throws -> Void) rethrows -> Int
    {
        let count = Mutex(0)
        withObservationTracking(read) { count.withLock { $0 += 1 } }
        try change()
        return count.withLock { $0 }
    }

    /// Returns how often observers of a saved model are notified while a closure runs.
    private func notifications(
        _ store: StoreKind, of read: (Shapes) -> Void,
        while change: (Shapes, ModelContext) throws -> Void
    ) throws -> Int {
        try store.withContext(for: Shapes.self) { context in
            let shapes = Shapes("a")
            context.insert(shapes)
            try context.save()
            return try notifications {
                read(shapes)
            } while: {
                try change(shapes, context)
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `are notified of changed structures and enums`(_ store: StoreKind) throws {
        #expect(
            try notifications(store) {
                _ = $0.size.width
            } while: { shapes, _ in
                shapes.size.height = 3
            } == 1)
        #expect(
            try notifications(store) {
                _ = $0.maybeKind
            } while: { shapes, _ in
                shapes.maybeKind = .round
            } == 1)
        #expect(
            try notifications(store) {
                _ = $0.kind
            } while: { shapes, _ in
                shapes.maybeKind = .round
            } == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func `are not notified by a save`(_ store: StoreKind) throws {
        let count = try store.withContext(for: Shapes.self) { context in
            let shapes = Shapes("a")
            context.insert(shapes)
            try context.save()
            shapes.name = "b"
            context.processPendingChanges()
            return try notifications {
                _ = shapes.name
            } while: {
                try context.save()
            }
        }

        #expect(count == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func `are notified of what another context saved`(_ store: StoreKind) throws {
        let count = try notifications(store) {
            _ = $0.name
        } while: { shapes, context in
            let other = ModelContext(context.container)
            try #require(try other.all(Shapes.self).first).name = "b"
            try other.save()
            _ = try context.all(Shapes.self)
            #expect(shapes.name == "b")
        }

        #expect(count == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func `of models that end do not outlive them`(_ store: StoreKind) throws {
        try store.withContext(for: Shapes.self) { context in
            context.insert(Shapes("a"))
            try context.save()
            weak var known: Observer?
            func observe() throws {
                let observer = Observer()
                known = observer
                let shapes = try #require(try context.all(Shapes.self).first)
                withObservationTracking {
                    _ = shapes.name
                } onChange: {
                    withExtendedLifetime(observer) {}
                }
            }

            try observe()

            #expect(known == nil)
        }
    }

    private final class Observer: Sendable {}
}
