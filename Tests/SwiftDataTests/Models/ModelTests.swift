import Foundation
import Observation
import SwiftData
import Synchronization
import Testing

@Suite struct `A model` {
    @Test func `has its values before it has a context`() {
        let trip = Trip(name: "Alps")

        #expect(trip.name == "Alps" && trip.title == "ALPS" && trip.season == .summer)
        #expect(trip.modelContext == nil && !trip.hasChanges && !trip.isDeleted)
        #expect(trip.persistentModelID.storeIdentifier == nil)
        #expect(trip.persistentModelID.entityName == "Trip")
    }

    @Test func `can be changed before it has a context`() {
        let trip = Trip(name: "Alps")
        trip.name = "Andes"
        trip.note = "far"
        trip.tags.append("snow")
        trip.season = .winter

        #expect(trip.name == "Andes" && trip.note == "far" && trip.tags == ["snow"])
        #expect(trip.season == .winter)
    }

    @Test func `is equal to itself only, also in a set`() {
        let (first, second) = (Trip(name: "a"), Trip(name: "a"))
        let set: Set<Trip> = [first, second, first]

        #expect(first == first && first != second)
        #expect(set.count == 2)
    }

    @Test func `keeps its temporary identifier until it is saved`() throws {
        try StoreKind.sqlite.withContext { context in
            let stop = Stop(title: "a")
            let temporary = stop.persistentModelID
            context.insert(stop)
            #expect(stop.persistentModelID == temporary && stop.id == temporary)

            try context.save()

            #expect(stop.persistentModelID != temporary)
            #expect(stop.persistentModelID.storeIdentifier != nil)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `has its context from the insertion to the saved deletion`(_ store: StoreKind) throws {
        try store.withContext { context in
            let trip = Trip(name: "a")
            context.insert(trip)
            #expect(trip.modelContext === context && trip.hasChanges)

            try context.save()
            #expect(trip.modelContext === context && !trip.hasChanges)

            context.delete(trip)
            #expect(trip.isDeleted && trip.modelContext === context)

            try context.save()
            #expect(trip.modelContext == nil)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `is one instance in a context while something holds it`(_ store: StoreKind) throws {
        try store.withContext { context in
            let trip = Trip(name: "a")
            context.insert(trip)
            try context.save()

            #expect(try context.all(Trip.self).first === trip)
            #expect(context.model(for: trip.persistentModelID) === trip)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `is kept by its context while it has changes`(_ store: StoreKind) throws {
        try store.withContext { context in
            context.insert(Trip(name: "a"))
            context.insertedModelsArray.compactMap { $0 as? Trip }.first?.isSelected = true

            #expect(
                context.insertedModelsArray.compactMap { $0 as? Trip }.first?.isSelected == true)
        }
    }

    @Test func `is released after its changes were saved`() throws {
        try StoreKind.inMemory.withContext { context in
            weak var trip: Trip?
            do {
                let new = Trip(name: "a")
                trip = new
                context.insert(new)
                try context.save()
            }

            #expect(trip == nil)
        }
    }

    @Test func `is released with a context that did not save it`() throws {
        weak var trip: Trip?
        try StoreKind.inMemory.withContext { context in
            let new = Trip(name: "a")
            trip = new
            context.insert(new)
        }

        #expect(trip == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func `of a subclass has the properties of both classes`(_ store: StoreKind) throws {
        try store.withContainer { container in
            let context = ModelContext(container)
            let pilot = Pilot(name: "Ann", hours: 5)
            #expect(pilot.name == "Ann" && pilot.hours == 5 && pilot.licence == "A")
            pilot.licence = "B"
            context.insert(pilot)
            context.insert(Guide(name: "Ben"))
            try context.save()

            let guides = try ModelContext(container).all(Guide.self, by: SortDescriptor(\.name))

            #expect(guides.map(\.name) == ["Ann", "Ben"])
            #expect((guides[0] as? Pilot)?.licence == "B" && (guides[0] as? Pilot)?.hours == 5)
            #expect(!(guides[1] is Pilot))
        }
    }

    // MARK: Observation

    /// Returns how often observers of a reading are notified while a closure runs.
    private func notifications(of read: () -> Void, while change: () throws -> Void) rethrows -> Int
    {
        let count = Mutex(0)
        withObservationTracking(read) { count.withLock { $0 += 1 } }
        try change()
        return count.withLock { $0 }
    }

    @Test func `notifies observers of a property that it has changed`() {
        let trip = Trip(name: "a")

        #expect(
            notifications {
                _ = trip.name
            } while: {
                trip.name = "b"
            } == 1)
        #expect(
            notifications {
                _ = trip.name
            } while: {
                trip.note = "b"
            } == 0)
        #expect(
            notifications {
                _ = trip.title
            } while: {
                trip.name = "c"
            } == 1)
    }

    @Test func `notifies observers in a context`() throws {
        try StoreKind.inMemory.withContext { context in
            let trip = Trip(name: "a")
            context.insert(trip)

            #expect(
                notifications {
                    _ = trip.name
                } while: {
                    trip.name = "b"
                } == 1)
            #expect(
                notifications {
                    _ = trip.stops
                } while: {
                    trip.stops.append(Stop(title: "x"))
                } == 1)
        }
    }

    @Test func `notifies observers of a rollback`() throws {
        try StoreKind.inMemory.withContext { context in
            let trip = Trip(name: "a")
            context.insert(trip)
            try context.save()
            trip.name = "b"

            #expect(
                notifications {
                    _ = trip.name
                } while: {
                    context.rollback()
                } == 1)
            #expect(trip.name == "a")
        }
    }

    @Test func `notifies observers of a relationship whose other end changed`() throws {
        try StoreKind.inMemory.withContext { context in
            let (trip, stop) = (Trip(name: "a"), Stop(title: "x"))
            context.insert(trip)
            context.insert(stop)
            try context.save()

            let count = notifications {
                _ = trip.stops
            } while: {
                stop.trip = trip
                context.processPendingChanges()
            }

            #expect(count == 1)
        }
    }
}
