import CairnTestSupport
import Foundation
import SwiftData
import Testing

/// Adds and changes stops, on a context of its own.
@ModelActor private actor Planner {
    func add(_ titles: [String]) throws -> [PersistentIdentifier] {
        let stops = titles.map { Stop(title: $0) }
        for stop in stops { modelContext.insert(stop) }
        try modelContext.save()
        return stops.map(\.persistentModelID)
    }

    func change(_ id: PersistentIdentifier, _ body: @Sendable (Stop) -> Void) throws {
        guard let stop = self[id, as: Stop.self] else { return }
        body(stop)
        try modelContext.save()
    }

    func name(_ trip: String, note: String) throws {
        let new = Trip(name: trip)
        new.note = note
        modelContext.insert(new)
        try modelContext.save()
    }

    func titles() throws -> [String] {
        try modelContext.all(Stop.self, by: SortDescriptor(\.title)).map(\.title)
    }
}

@Suite struct `Actors and contexts at the same time` {
    private func withContainer(
        _ store: StoreKind, body: (ModelContainer) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        let container = try ModelContainer(
            for: Trip.self, configurations: store.configuration(in: folder))
        try await body(container)
        withExtendedLifetime(folder) {}
    }

    @Test(arguments: StoreKind.allCases)
    func `save all that they add`(_ store: StoreKind) async throws {
        try await withContainer(store) { container in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<8 {
                    group.addTask {
                        let planner = Planner(modelContainer: container)
                        for number in 0..<5 { _ = try await planner.add(["\(task).\(number)"]) }
                    }
                }
                try await group.waitForAll()
            }

            let titles = try await Planner(modelContainer: container).titles()

            #expect(titles.count == 40 && Set(titles).count == 40)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `pass models to each other by identifier`(_ store: StoreKind) async throws {
        try await withContainer(store) { container in
            let (first, second) = (
                Planner(modelContainer: container), Planner(modelContainer: container)
            )
            let ids = try await first.add(["a"])
            let id = try #require(ids.first)

            try await second.change(id) { $0.title = "b" }

            #expect(try await first.titles() == ["b"])
            try await first.change(id) { $0.title += "c" }
            #expect(try await second.titles() == ["bc"])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `keep changes of different properties`(_ store: StoreKind) async throws {
        try await withContainer(store) { container in
            let (first, second) = (ModelContext(container), ModelContext(container))
            first.insert(Stop(title: "a", day: 1))
            try first.save()
            let mine = try #require(try first.all(Stop.self).first)
            let other = try #require(try second.all(Stop.self).first)
            mine.title = "b"
            other.day = 2
            try first.save()

            try second.save()

            let stored = try #require(try ModelContext(container).all(Stop.self).first)
            #expect(stored.title == "b" && stored.day == 2)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `make one model of equal unique values`(_ store: StoreKind) async throws {
        try await withContainer(store) { container in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<6 {
                    group.addTask {
                        try await Planner(modelContainer: container).name("Alps", note: "\(task)")
                    }
                }
                try await group.waitForAll()
            }

            let trips = try ModelContext(container).all(Trip.self)

            #expect(trips.count == 1 && trips.first?.note != nil)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `see that another one deleted a model`(_ store: StoreKind) async throws {
        try await withContainer(store) { container in
            let (first, second) = (ModelContext(container), ModelContext(container))
            first.insert(Stop(title: "a"))
            try first.save()
            let mine = try #require(try first.all(Stop.self).first)
            let other = try #require(try second.all(Stop.self).first)
            second.delete(other)
            try second.save()

            let left = try first.all(Stop.self)

            #expect(left.isEmpty && mine.modelContext == nil)
        }
    }
}
