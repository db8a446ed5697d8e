import CairnTestSupport
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

    /// Passes fetched models with these names to a closure, in this order. Nothing has read them.
    private func withFetched(
        _ names: [String], _ store: StoreKind, _ body: ([Shapes], ModelContext) throws -> Void
    ) throws {
        try store.withContainer(for: Shapes.self) { container in
            let context = ModelContext(container)
            for name in names { context.insert(Shapes(name)) }
            try context.save()
            let other = ModelContext(container)
            try body(try other.all(by: SortDescriptor(\Shapes.name)), other)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `are notified although the model was read before them`(_ store: StoreKind) throws {
        try withFetched(["a"], store) { models, _ in
            var read = models[0].name
            let count = notifications {
                read += models[0].name
            } while: {
                read += models[0].name
                models[0].name = "b"
            }

            #expect(count == 1 && read == "aaa")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `are notified although others observed the model before`(_ store: StoreKind) throws {
        try withFetched(["a"], store) { models, _ in
            var counts: [Int] = []
            for name in ["b", "c"] {
                counts.append(
                    notifications {
                        _ = models[0].name
                    } while: {
                        models[0].name = name
                        models[0].name = name + name
                    })
            }

            #expect(counts == [1, 1])
        }
    }

    @Test(arguments: StoreKind.allCases, [0, 1, 2])
    func `in observers are notified of what they read, and the outer ones of all`(
        _ store: StoreKind, _ changed: Int
    ) throws {
        try withFetched(["a", "b", "c"], store) { models, _ in
            let inner = Mutex(0)
            let outer = Mutex(0)
            withObservationTracking {
                _ = models[0].name
                withObservationTracking {
                    _ = models[1].name
                } onChange: {
                    inner.withLock { $0 += 1 }
                }
                _ = models[2].name
            } onChange: {
                outer.withLock { $0 += 1 }
            }

            models[changed].name = "z"

            #expect(inner.withLock { $0 } == (changed == 1 ? 1 : 0))
            #expect(outer.withLock { $0 } == 1)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `of a new model are notified after its insertion, save and rollback`(
        _ store: StoreKind
    ) throws {
        try store.withContext { context in
            let trip = Trip(name: "a")
            func notifications(while step: () throws -> Void) rethrows -> Int {
                try self.notifications {
                    _ = (trip.price, trip.stops)
                } while: {
                    try step()
                    trip.price += 1
                }
            }

            var counts = [notifications {}, notifications { context.insert(trip) }]
            counts += [
                notifications { context.rollback() }, notifications { context.insert(trip) },
            ]
            counts.append(try notifications { try context.save() })

            #expect(counts == [1, 1, 1, 1, 1])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `of a new model are notified after it became a stored one`(_ store: StoreKind) throws {
        try store.withContext { context in
            context.insert(Trip(name: "a"))
            try context.save()
            let new = Trip(name: "a")
            context.insert(new)

            let count = try notifications {
                _ = new.price
            } while: {
                try context.save()
                new.price = 3
            }

            #expect(count == 1)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `are notified of relationships, inherited properties and optional ones`(
        _ store: StoreKind
    ) throws {
        try store.withContainer { container in
            let context = ModelContext(container)
            let trip = Trip(name: "a")
            trip.stops = [Stop(title: "x")]
            trip.guides = [Pilot(name: "Ann", hours: 1)]
            context.insert(trip)
            try context.save()
            /// Returns how often observers of a property of a model that nothing read yet are notified of a change.
            func notifications<Model: PersistentModel, Value>(
                _ path: ReferenceWritableKeyPath<Model, Value>, _ value: Value
            ) throws -> Int {
                let model = try #require(try ModelContext(container).all(Model.self).first)
                return self.notifications {
                    _ = model[keyPath: path]
                } while: {
                    model[keyPath: path] = value
                }
            }

            #expect(try notifications(\Trip.stops, []) == 1)
            #expect(try notifications(\Stop.trip, nil) == 1)
            #expect(try notifications(\Pilot.name, "Ben") == 1)
            #expect(try notifications(\Pilot.hours, 2) == 1)
            #expect(try notifications(\Pilot.trips, nil) == 1)
            #expect(try notifications(\Trip.note, "n") == 1)
            #expect(try notifications(\Trip.tags, ["t"]) == 1)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `on several threads are notified of their own models`(_ store: StoreKind) async throws {
        let folder = try TemporaryFolder()
        let container = try ModelContainer(
            for: Shapes.self, configurations: store.configuration(in: folder))
        let context = ModelContext(container)
        for name in ["a", "b", "c", "d"] { context.insert(Shapes(name)) }
        try context.save()

        let counts = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<8 {
                group.addTask {
                    let models = try ModelContext(container).all(by: SortDescriptor(\Shapes.name))
                    var (count, unread) = (0, 0)
                    for round in 0..<100 {
                        let model = models[(number + round) % 4]
                        count += notifications {
                            _ = model.name
                        } while: {
                            model.name = "\(number).\(round)"
                        }
                        unread += notifications {
                        } while: {
                            model.name += "x"
                        }
                    }
                    return count + 1_000 * unread
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }

        #expect(counts == Array(repeating: 100, count: 8))
        withExtendedLifetime(folder) {}
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
