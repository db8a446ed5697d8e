import CairnTestSupport
import Foundation
import SwiftData
import Testing

enum Level: UInt8, Codable { case low = 1, high = 200 }

@Model final class Gauge {
    var level: Level = Level.low
    var last: Level?
    @Relationship(
        deleteRule: .nullify  // the trip stays
    ) var trip: Trip?

    init() {}
}

/// What a program does seldom, or by mistake.
@Suite struct `A model context that is used unusually` {
    @Test(arguments: StoreKind.allCases)
    func `finds nothing by the temporary identifier of a saved model`(_ store: StoreKind) throws {
        try store.withContext { context in
            let trip = Trip(name: "a")
            trip.stops = [Stop(title: "with")]
            context.insert(trip)
            context.insert(Stop(title: "without"))
            let id = trip.persistentModelID
            try context.save()

            let found = try context.all(
                where: #Predicate<Stop> { $0.trip?.persistentModelID == id })
            let others = try context.all(
                where: #Predicate<Stop> { $0.trip?.persistentModelID != id })
            try context.delete(
                model: Stop.self, where: #Predicate { $0.trip?.persistentModelID == id })
            try context.save()

            #expect(found.isEmpty && others.count == 2)
            #expect(try context.fetchCount(FetchDescriptor<Stop>()) == 2)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `gives a stored model also default values and nil`(_ store: StoreKind) throws {
        try store.withContext { context in
            let stored = Trip(name: "a")
            (stored.isDone, stored.note, stored.price) = (true, "x", 3)
            context.insert(stored)
            try context.save()

            let new = Trip(name: "a")
            context.insert(new)
            try context.save()

            let all = try context.all(Trip.self)
            #expect(all.count == 1)
            #expect(all[0].isDone == false && all[0].note == nil && all[0].price == 0)
            #expect(new.isDone == false && new.note == nil)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `reports the insertion of a deleted model`(_ store: StoreKind) throws {
        try store.withContext { context in
            var failures = 0
            context.failureHandler = { _ in failures += 1 }
            let trip = Trip(name: "a")
            context.insert(trip)
            try context.save()
            context.delete(trip)
            try context.save()

            context.insert(trip)

            #expect(failures == 1)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `inserts a new model again that it was told to delete`(_ store: StoreKind) throws {
        try store.withContext { context in
            let trip = Trip(name: "a")
            trip.stops = [Stop(title: "x")]
            context.insert(trip)
            context.delete(trip)
            #expect(trip.modelContext == nil && trip.name == "a")
            context.rollback()
            #expect(trip.name == "a")

            context.insert(trip)
            try context.save()

            #expect(try context.all(Trip.self).map(\.name) == ["a"])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `keeps a relationship if the new destination cannot be inserted`(_ store: StoreKind) throws
    {
        try store.withContainer { container in
            let (context, other) = (ModelContext(container), ModelContext(container))
            var failures = 0
            context.failureHandler = { _ in failures += 1 }
            let (trip, foreign) = (Trip(name: "a"), Trip(name: "b"))
            other.insert(foreign)
            let stop = Stop(title: "x", trip: trip)
            context.insert(stop)
            try context.save()

            stop.trip = foreign

            #expect(failures == 1 && stop.trip === trip)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `stores enums whose raw values are unsigned`(_ store: StoreKind) throws {
        try store.withContext(for: Gauge.self, Trip.self) { context in
            let gauge = Gauge()
            (gauge.level, gauge.last) = (.high, .low)
            context.insert(gauge)
            try context.save()

            let found = try context.all(where: #Predicate<Gauge> { $0.last != nil })

            #expect(found.map(\.level) == [.high] && found.map(\.last) == [.low])
        }
    }

    @Test func `puts models into the stores of their configurations, even if these have no names`()
        throws
    {
        let folder = try TemporaryFolder()
        let container = try ModelContainer(
            for: Schema([Trip.self, Gauge.self]),
            configurations: [
                ModelConfiguration(
                    schema: Schema([Trip.self]), url: folder.file("trips.store")),
                ModelConfiguration(schema: Schema([Gauge.self]), isStoredInMemoryOnly: true),
            ])
        let context = ModelContext(container)
        let (trip, gauge) = (Trip(name: "a"), Gauge())
        context.insert(trip)
        context.insert(gauge)
        try context.save()

        let ids = [trip.persistentModelID.storeIdentifier, gauge.persistentModelID.storeIdentifier]
        #expect(Set(ids).count == 2)
    }

    @MainActor @Test func `saves by itself after a change that had no effect`() async throws {
        let container = try ModelContainer(
            for: Trip.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        let context = container.mainContext
        let trip = Trip(name: "a")
        context.insert(trip)
        try context.save()
        trip.name = "a"
        try await Task.sleep(for: .milliseconds(50))

        trip.name = "b"
        for _ in 0..<100 where context.hasChanges { try await Task.sleep(for: .milliseconds(20)) }

        #expect(!context.hasChanges)
        #expect(try ModelContext(container).all(Trip.self).map(\.name) == ["b"])
    }
}
