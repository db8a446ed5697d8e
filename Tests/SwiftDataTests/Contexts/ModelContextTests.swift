import Foundation
import SwiftData
import Synchronization
import Testing

@Suite struct `A model context` {
    @Test(arguments: StoreKind.allCases)
    func `lists its changes`(_ store: StoreKind) throws {
        try store.withContext { context in
            let (kept, deleted) = (Trip(name: "kept"), Trip(name: "deleted"))
            context.insert(kept)
            context.insert(deleted)
            #expect(context.hasChanges && context.insertedModelsArray.count == 2)
            try context.save()
            #expect(!context.hasChanges && context.insertedModelsArray.isEmpty)

            kept.name = "changed"
            context.delete(deleted)
            context.insert(Trip(name: "new"))

            #expect(context.changedModelsArray.map { ($0 as? Trip)?.name } == ["changed"])
            #expect(context.deletedModelsArray.map { ($0 as? Trip)?.name } == ["deleted"])
            #expect(context.insertedModelsArray.map { ($0 as? Trip)?.name } == ["new"])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `does not show unsaved changes to other contexts`(_ store: StoreKind) throws {
        try store.withContainer { container in
            let (context, other) = (ModelContext(container), ModelContext(container))
            context.insert(Trip(name: "a"))
            #expect(try other.fetchCount(FetchDescriptor<Trip>()) == 0)

            try context.save()

            #expect(try other.fetchCount(FetchDescriptor<Trip>()) == 1)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `shows what another context saved`(_ store: StoreKind) throws {
        try store.withContainer { container in
            let (context, other) = (ModelContext(container), ModelContext(container))
            let trip = Trip(name: "a")
            context.insert(trip)
            try context.save()
            let same = try #require(try other.all(Trip.self).first)
            same.name = "b"
            try other.save()

            _ = try context.fetchCount(FetchDescriptor<Trip>())

            #expect(trip.name == "b")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `takes changes back with a rollback`(_ store: StoreKind) throws {
        try store.withContext { context in
            let (changed, deleted) = (Trip(name: "a"), Trip(name: "b"))
            context.insert(changed)
            context.insert(deleted)
            try context.save()
            changed.name = "z"
            changed.stops.append(Stop(title: "x"))
            context.delete(deleted)
            let new = Trip(name: "new")
            new.stops = [Stop(title: "y")]
            context.insert(new)

            context.rollback()

            #expect(changed.name == "a" && changed.stops.isEmpty && !deleted.isDeleted)
            #expect(!context.hasChanges && new.modelContext == nil)
            #expect(new.name == "new" && new.stops.map(\.title) == ["y"])
            #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 2)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `inserts a model again after a rollback`(_ store: StoreKind) throws {
        try store.withContext { context in
            let trip = Trip(name: "a")
            context.insert(trip)
            context.rollback()

            context.insert(trip)
            try context.save()

            #expect(try context.all(Trip.self) == [trip])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `gives new models that lead to each other their values back with a rollback`(
        _ store: StoreKind
    ) throws {
        try store.withContainer { container in
            let context = ModelContext(container)
            let saved = Trip(name: "saved")
            context.insert(saved)
            try context.save()
            func makeTrip() -> Trip {
                let (trip, pilot) = (Trip(name: "a"), Pilot(name: "Ann", hours: 7))
                let (first, second) = (Stop(title: "x", day: 1), Stop(title: "y", day: 2))
                trip.stops = [first, second]
                (first.trip, second.trip) = (trip, trip)
                trip.guides = [pilot]
                pilot.trips = [trip, saved]
                trip.home = Address(street: "s", town: "t", number: nil)
                trip.tags = ["b", "c"]
                return trip
            }
            let trip = makeTrip()
            context.insert(trip)
            trip.stops[0].day += 10
            trip.note = "after"

            context.rollback()

            func check(_ trip: Trip) throws {
                let stops = trip.stops.sorted { $0.title < $1.title }
                #expect(stops.map(\.title) == ["x", "y"] && stops.map { $0.day % 10 } == [1, 2])
                #expect(stops.map(\.day).reduce(0, +) == 13)
                #expect(stops.allSatisfy { $0.trip === trip })
                let pilot = try #require(trip.guides.first as? Pilot)
                #expect(pilot.name == "Ann" && pilot.hours == 7 && pilot.licence == "A")
                #expect(Set(pilot.trips?.map(\.name) ?? []) == ["a", "saved"])
                #expect(trip.home?.town == "t" && trip.home?.number == nil)
                #expect(trip.tags == ["b", "c"] && trip.note == "after" && trip.photo == nil)
            }
            try check(trip)
            #expect(trip.modelContext == nil && trip.guides[0].modelContext == nil)
            #expect(saved.guides.isEmpty && !context.hasChanges)
            context.insert(trip)
            try check(trip)
            try context.save()
            let found = try ModelContext(container).all(where: #Predicate<Trip> { $0.name == "a" })
            try check(try #require(found.first))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `gives a model of a graph its values back that is deleted before it is saved`(
        _ store: StoreKind
    ) throws {
        try store.withContext { context in
            let trip = Trip(name: "a")
            let (kept, deleted) = (Stop(title: "x", trip: trip), Stop(title: "y", trip: trip))
            context.insert(kept)
            context.insert(deleted)

            context.delete(deleted)
            #expect(deleted.title == "y" && deleted.trip === trip && deleted.modelContext == nil)
            try context.save()
            #expect(trip.stops == [kept])
            #expect(try context.all(Stop.self) == [kept])

            context.insert(deleted)
            try context.save()
            #expect(Set(trip.stops) == [kept, deleted])
            #expect(try context.fetchCount(FetchDescriptor<Stop>()) == 2)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `makes a new model of a superclass the stored one of a subclass`(
        _ store: StoreKind
    ) throws {
        try store.withContainer(for: Plant.self, Tree.self) { container in
            let context = ModelContext(container)
            let tree = Tree(name: "oak", rings: 3)
            context.insert(tree)
            try context.save()
            let plant = Plant(name: "oak")
            plant.height = 5
            context.insert(plant)

            try context.save()

            let found = try ModelContext(container).all(Plant.self)
            #expect(found.map(\.name) == ["oak"] && found.map(\.height) == [5])
            #expect((found.first as? Tree)?.rings == 3)
            #expect(plant.name == "oak" && plant.height == 5)
            #expect(context.insertedModelsArray.isEmpty && context.changedModelsArray.isEmpty)
            plant.height = 6
            _ = context.changedModelsArray.map(\.persistentModelID)
            try context.save()
            #expect(try context.all(Plant.self).map(\.height) == [6])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `leaves its models their values when it ends`(_ store: StoreKind) throws {
        try store.withContainer { container in
            func makeModels() throws -> (kept: Trip, changed: Trip, new: Stop) {
                let context = ModelContext(container)
                let (kept, changed, new) = (Trip(name: "a"), Trip(name: "b"), Stop(title: "x"))
                for trip in [kept, changed] { context.insert(trip) }
                try context.save()
                changed.note = "n"
                changed.stops = [new]
                return (kept, changed, new)
            }
            let (_, changed, new) = try makeModels()

            #expect(changed.modelContext == nil && new.modelContext == nil)
            #expect(changed.name == "b" && changed.note == "n" && changed.season == .summer)
            #expect(new.title == "x" && new.trip == nil && changed.stops.isEmpty)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `lives as long as a model without unsaved changes`(_ store: StoreKind) throws {
        try store.withContainer { container in
            func makeTrip() throws -> Trip {
                let context = ModelContext(container)
                let trip = Trip(name: "a")
                context.insert(trip)
                trip.stops = [Stop(title: "x")]
                try context.save()
                return trip
            }
            let trip = try makeTrip()

            #expect(trip.modelContext != nil)
            #expect(trip.name == "a" && trip.stops.map(\.title) == ["x"])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `forgets a model that is deleted before it is saved`(_ store: StoreKind) throws {
        try store.withContext { context in
            let trip = Trip(name: "a")
            context.insert(trip)
            context.delete(trip)
            try context.save()

            #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 0)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `deletes all models of a class, or those that match`(_ store: StoreKind) throws {
        try store.withContext { context in
            for name in ["a", "b", "c"] { context.insert(Trip(name: name)) }
            context.insert(Guide(name: "Ben"))
            context.insert(Pilot(name: "Ann", hours: 1))
            try context.save()

            try context.delete(model: Trip.self, where: #Predicate { $0.name > "a" })
            try context.delete(model: Guide.self, includeSubclasses: false)
            #expect(try context.all(Trip.self).map(\.name) == ["a"])
            try context.save()

            #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 1)
            #expect(try context.all(Guide.self).map(\.name) == ["Ann"])
            try context.delete(model: Trip.self)
            try context.save()
            #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 0)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `saves at the end of a transaction`(_ store: StoreKind) throws {
        struct Failure: Error {}
        try store.withContainer { container in
            let context = ModelContext(container)
            try context.transaction { context.insert(Trip(name: "a")) }
            #expect(try ModelContext(container).fetchCount(FetchDescriptor<Trip>()) == 1)

            #expect(throws: Failure.self) {
                try context.transaction {
                    context.insert(Trip(name: "b"))
                    throw Failure()
                }
            }
            #expect(try ModelContext(container).fetchCount(FetchDescriptor<Trip>()) == 1)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `updates the stored model with the same unique values`(_ store: StoreKind) throws {
        try store.withContainer { container in
            let context = ModelContext(container)
            let first = Trip(name: "a")
            first.price = 1
            context.insert(first)
            try context.save()
            let second = Trip(name: "a")
            second.price = 2
            second.note = "new"
            context.insert(second)
            try context.save()

            let found = try ModelContext(container).all(Trip.self)
            #expect(found.map(\.price) == [2] && found.map(\.note) == ["new"])
            #expect(second.persistentModelID == found.first?.persistentModelID)
            second.price = 3
            try context.save()
            #expect(try ModelContext(container).all(Trip.self).map(\.price) == [3])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `keeps its changes when a save is refused`(_ store: StoreKind) throws {
        try store.withContext(for: Shelf.self) { context in
            let page = Page(number: 1, book: ShelfBook(title: "b"))
            context.insert(page)
            try context.save()
            let book = page.book
            context.delete(book)
            #expect(throws: (any Error).self) { try context.save() }

            #expect(context.hasChanges && book.isDeleted)
            context.delete(page)
            try context.save()
            #expect(try context.fetchCount(FetchDescriptor<ShelfBook>()) == 0)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `knows its models by identifier`(_ store: StoreKind) throws {
        try store.withContainer { container in
            let (context, other) = (ModelContext(container), ModelContext(container))
            let trip = Trip(name: "a")
            context.insert(trip)
            #expect(context.registeredModel(for: trip.persistentModelID) == trip)
            try context.save()

            #expect(context.registeredModel(for: trip.persistentModelID) == trip)
            let unknown: Trip? = other.registeredModel(for: trip.persistentModelID)
            #expect(unknown == nil)
            #expect((other.model(for: trip.persistentModelID) as? Trip)?.name == "a")
        }
    }

    @Test func `reports a model that it cannot insert`() throws {
        try StoreKind.inMemory.withContext { context in
            var errors: [String] = []
            context.failureHandler = { errors.append("\($0)") }

            context.insert(Note())

            #expect(errors.count == 1 && errors.first?.contains("Note") == true)
            #expect(!context.hasChanges)
        }
    }

    @Test func `refuses a model of another context`() throws {
        try StoreKind.inMemory.withContainer { container in
            let (context, other) = (ModelContext(container), ModelContext(container))
            var errors: [String] = []
            other.failureHandler = { errors.append("\($0)") }
            let trip = Trip(name: "a")
            context.insert(trip)

            other.insert(trip)

            #expect(errors.count == 1 && trip.modelContext === context)
        }
    }

    @Test func `inserts a graph that it refused before`() throws {
        try StoreKind.inMemory.withContainer { container in
            let (context, other) = (ModelContext(container), ModelContext(container))
            var errors: [String] = []
            context.failureHandler = { errors.append("\($0)") }
            let (trip, guide, stop) = (Trip(name: "a"), Guide(name: "b"), Stop(title: "c"))
            trip.stops = [stop]
            trip.guides = [guide]
            other.insert(guide)
            context.insert(trip)
            #expect(errors.count == 1 && trip.modelContext == nil && stop.modelContext == nil)

            trip.guides = []
            context.insert(trip)

            #expect(errors.count == 1 && context.insertedModelsArray.count == 2)
            #expect(stop.trip === trip && trip.stops == [stop])
        }
    }

    @Test func `posts notifications of a save`() throws {
        try StoreKind.inMemory.withContext { context in
            let posted = Mutex<[String]>([])
            let inserted = Mutex<[PersistentIdentifier]>([])
            let center = NotificationCenter.default
            let tokens = [ModelContext.willSave, ModelContext.didSave].map { name in
                center.addObserver(forName: name, object: context, queue: nil) { notification in
                    posted.withLock { $0.append(notification.name.rawValue) }
                    let key = ModelContext.NotificationKey.insertedIdentifiers.rawValue
                    let ids = notification.userInfo?[key] as? [PersistentIdentifier]
                    inserted.withLock { $0 += ids ?? [] }
                }
            }
            let trip = Trip(name: "a")
            context.insert(trip)
            try context.save()
            tokens.forEach(center.removeObserver)

            #expect(
                posted.withLock { $0 }
                    == [ModelContext.willSave.rawValue, ModelContext.didSave.rawValue])
            #expect(inserted.withLock { $0 } == [trip.persistentModelID])
        }
    }

    @Test func `lives longer than the variable of its container`() throws {
        let context = ModelContext(
            try ModelContainer(
                for: Trip.self, Pilot.self,
                configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
        context.insert(Trip(name: "a"))
        try context.save()

        #expect(try ModelContext(context.container).fetchCount(FetchDescriptor<Trip>()) == 1)
    }

    @Test func `can be used by one thread after another`() async throws {
        let container = try ModelContainer(
            for: Trip.self, Pilot.self,
            configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        let keeper = ContextKeeper(container)

        for name in ["a", "b", "c"] {
            await keeper.insert(name)
            await Task.yield()
        }

        #expect(try await keeper.save() == 3)
    }

    // MARK: The main context

    @Test @MainActor func `of the main actor saves by itself`() async throws {
        let container = try ModelContainer(
            for: Trip.self, Pilot.self,
            configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        #expect(container.mainContext === container.mainContext)
        #expect(container.mainContext.autosaveEnabled && !ModelContext(container).autosaveEnabled)

        container.mainContext.insert(Trip(name: "a"))
        #expect(container.mainContext.hasChanges)
        while container.mainContext.hasChanges { await Task.yield() }

        #expect(try ModelContext(container).fetchCount(FetchDescriptor<Trip>()) == 1)
    }

    @Test @MainActor func `of the main actor can be told not to save`() async throws {
        let container = try ModelContainer(
            for: Trip.self, Pilot.self,
            configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        container.mainContext.autosaveEnabled = false
        container.mainContext.insert(Trip(name: "a"))

        for _ in 0..<20 { await Task.yield() }

        #expect(container.mainContext.hasChanges)
    }
}

@Model class Plant {
    @Attribute(.unique) var name: String
    var height = 0

    init(name: String) { self.name = name }
}

@Model final class Tree: Plant {
    var rings: Int

    init(name: String, rings: Int) {
        self.rings = rings
        super.init(name: name)
    }
}

/// An actor that holds a context, as a server's service does.
private actor ContextKeeper {
    private let context: ModelContext

    init(_ container: ModelContainer) { context = ModelContext(container) }

    func insert(_ name: String) { context.insert(Trip(name: name)) }

    func save() throws -> Int {
        try context.save()
        return try context.fetchCount(FetchDescriptor<Trip>())
    }
}
