import Foundation
import SwiftData
import Testing

@Suite struct `A fetch` {
    /// Three saved trips: Alps in summer with two stops, Andes in winter with one, and Baltic without stops.
    private func withTrips<Result>(
        _ store: StoreKind, body: (ModelContext) throws -> Result
    ) throws -> Result {
        try store.withContext { context in
            let alps = Trip(name: "Alps", start: Date(timeIntervalSinceReferenceDate: 300))
            alps.price = 100
            alps.note = "high"
            alps.stops = [Stop(title: "Hut", day: 1), Stop(title: "Top", day: 2)]
            alps.guides = [Pilot(name: "Ann", hours: 900)]
            let andes = Trip(name: "Andes", start: Date(timeIntervalSinceReferenceDate: 200))
            andes.price = 300
            andes.season = .winter
            andes.stops = [Stop(title: "Lima", day: 5)]
            andes.isDone = true
            let baltic = Trip(name: "Baltic", start: Date(timeIntervalSinceReferenceDate: 100))
            baltic.price = 50
            baltic.tags = ["sea"]
            for trip in [alps, andes, baltic] { context.insert(trip) }
            try context.save()
            return try body(context)
        }
    }

    /// Returns the names of the matching trips, in alphabetical order.
    private func names(
        _ store: StoreKind, _ predicate: Predicate<Trip>?, _ sorts: SortDescriptor<Trip>...,
        change: (inout FetchDescriptor<Trip>) -> Void = { _ in }
    ) throws -> [String] {
        try withTrips(store) { context in
            var descriptor = FetchDescriptor<Trip>(
                predicate: predicate, sortBy: sorts.isEmpty ? [SortDescriptor(\.name)] : sorts)
            change(&descriptor)
            return try context.fetch(descriptor).map(\.name)
        }
    }

    // MARK: Conditions

    @Test(arguments: StoreKind.allCases)
    func `without a condition finds all models`(_ store: StoreKind) throws {
        #expect(try names(store, nil) == ["Alps", "Andes", "Baltic"])
    }

    @Test(arguments: StoreKind.allCases)
    func `compares text`(_ store: StoreKind) throws {
        #expect(try names(store, #Predicate { $0.name == "Alps" }) == ["Alps"])
        #expect(try names(store, #Predicate { $0.name != "Alps" }) == ["Andes", "Baltic"])
        #expect(try names(store, #Predicate { $0.name.starts(with: "A") }) == ["Alps", "Andes"])
        #expect(try names(store, #Predicate { $0.name.contains("lt") }) == ["Baltic"])
    }

    @Test(arguments: StoreKind.allCases)
    func `finds text regardless of case and diacritics`(_ store: StoreKind) throws {
        let searched = "AL"
        #expect(
            try names(store, #Predicate { $0.name.localizedStandardContains(searched) })
                == ["Alps", "Baltic"])
        #expect(
            try names(store, #Predicate { $0.name.localizedStandardContains("ÄN") }) == ["Andes"])
    }

    @Test(arguments: StoreKind.allCases)
    func `compares numbers`(_ store: StoreKind) throws {
        let limit = 100.0
        #expect(try names(store, #Predicate { $0.price > limit }) == ["Andes"])
        #expect(try names(store, #Predicate { $0.price >= limit }) == ["Alps", "Andes"])
        #expect(try names(store, #Predicate { $0.price < limit }) == ["Baltic"])
        #expect(try names(store, #Predicate { $0.price * 2 <= limit }) == ["Baltic"])
        #expect(try names(store, #Predicate { (60.0...200.0).contains($0.price) }) == ["Alps"])
    }

    @Test(arguments: StoreKind.allCases)
    func `compares dates and identifiers of the program`(_ store: StoreKind) throws {
        let date = Date(timeIntervalSinceReferenceDate: 150)
        #expect(try names(store, #Predicate { $0.start < date }) == ["Baltic"])
        try withTrips(store) { (context: ModelContext) throws -> Void in
            let key = try #require(try context.all(Trip.self, by: SortDescriptor(\.name)).last?.id)
            #expect(
                try context.all(where: #Predicate<Trip> { $0.id == key }).map(\.name) == ["Baltic"])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `compares Booleans`(_ store: StoreKind) throws {
        #expect(try names(store, #Predicate { $0.isDone }) == ["Andes"])
        #expect(try names(store, #Predicate { !$0.isDone }) == ["Alps", "Baltic"])
        #expect(try names(store, #Predicate { $0.isDone == false }) == ["Alps", "Baltic"])
    }

    @Test(arguments: StoreKind.allCases)
    func `compares enums`(_ store: StoreKind) throws {
        let winter = Season.winter
        let seasons: [Season] = [.winter, .spring]
        #expect(try names(store, #Predicate { $0.season == winter }) == ["Andes"])
        #expect(try names(store, #Predicate { $0.season != winter }) == ["Alps", "Baltic"])
        #expect(try names(store, #Predicate { seasons.contains($0.season) }) == ["Andes"])
    }

    @Test(arguments: StoreKind.allCases)
    func `compares optional values`(_ store: StoreKind) throws {
        #expect(try names(store, #Predicate { $0.note == nil }) == ["Andes", "Baltic"])
        #expect(try names(store, #Predicate { $0.note != nil }) == ["Alps"])
        #expect(try names(store, #Predicate { $0.note == "high" }) == ["Alps"])
        #expect(
            try names(store, #Predicate { ($0.note ?? "none") == "none" }) == ["Andes", "Baltic"])
        #expect(try names(store, #Predicate { $0.note?.contains("ig") == true }) == ["Alps"])
    }

    @Test(arguments: StoreKind.allCases)
    func `joins conditions`(_ store: StoreKind) throws {
        #expect(
            try names(store, #Predicate { $0.price > 60 && $0.name == "Alps" || $0.price == 50 })
                == ["Alps", "Baltic"])
        let wanted = ["Alps", "Baltic", "Other"]
        #expect(try names(store, #Predicate { wanted.contains($0.name) }) == ["Alps", "Baltic"])
    }

    @Test(arguments: StoreKind.allCases)
    func `looks at members`(_ store: StoreKind) throws {
        #expect(try names(store, #Predicate { $0.stops.isEmpty }) == ["Baltic"])
        #expect(try names(store, #Predicate { $0.stops.count == 2 }) == ["Alps"])
        #expect(
            try names(store, #Predicate { $0.stops.contains { $0.title == "Lima" } }) == ["Andes"])
        #expect(
            try names(store, #Predicate { $0.stops.allSatisfy { $0.day < 3 } }) == [
                "Alps", "Baltic",
            ])
        #expect(
            try names(store, #Predicate { $0.stops.filter { $0.day > 1 }.count == 1 })
                == ["Alps", "Andes"])
    }

    @Test(arguments: StoreKind.allCases)
    func `follows relationships`(_ store: StoreKind) throws {
        try withTrips(store) { (context: ModelContext) throws -> Void in
            let stops = try context.all(where: #Predicate<Stop> { $0.trip?.name == "Alps" })
            #expect(Set(stops.map(\.title)) == ["Hut", "Top"])
            let none = try context.all(where: #Predicate<Stop> { $0.trip == nil })
            #expect(none.isEmpty)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `finds models by identifier`(_ store: StoreKind) throws {
        try withTrips(store) { (context: ModelContext) throws -> Void in
            let trips = try context.all(Trip.self, by: SortDescriptor(\.name))
            let id = trips[0].persistentModelID
            let ids = trips.dropFirst().map(\.persistentModelID)

            let one = try context.all(where: #Predicate<Trip> { $0.persistentModelID == id })
            let several = try context.all(
                where: #Predicate<Trip> { ids.contains($0.persistentModelID) })
            let stops = try context.all(
                where: #Predicate<Stop> { $0.trip?.persistentModelID == id })

            #expect(one == [trips[0]] && Set(several) == Set(trips.dropFirst()))
            #expect(stops.count == 2)
            let stopID = stops[0].id
            #expect(try context.all(where: #Predicate<Stop> { $0.id == stopID }) == [stops[0]])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `of a subclass looks at inherited properties`(_ store: StoreKind) throws {
        try withTrips(store) { (context: ModelContext) throws -> Void in
            let found = try context.all(where: #Predicate<Pilot> { $0.name == "Ann" })
            let none = try context.all(where: #Predicate<Pilot> { $0.hours > 1000 })
            let sorted = try context.all(Pilot.self, by: SortDescriptor(\.name))

            #expect(found.count == 1 && none.isEmpty && sorted.map(\.hours) == [900])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `refuses what a store cannot evaluate`(_ store: StoreKind) throws {
        #expect(throws: (any Error).self) {
            try names(store, #Predicate { $0.title == "ALPS" })
        }
        #expect(throws: (any Error).self) {
            try names(store, nil, SortDescriptor(\.title))
        }
    }

    @Test func `of a class that the schema does not contain is refused`() throws {
        try StoreKind.inMemory.withContext { (context) -> Void in
            #expect(throws: (any Error).self) { _ = try context.all(Note.self) }
        }
    }

    // MARK: Order and number

    @Test(arguments: StoreKind.allCases)
    func `sorts by one property or several`(_ store: StoreKind) throws {
        #expect(try names(store, nil, SortDescriptor(\.start)) == ["Baltic", "Andes", "Alps"])
        #expect(
            try names(store, nil, SortDescriptor(\.price, order: .reverse)) == [
                "Andes", "Alps", "Baltic",
            ])
        #expect(
            try names(store, nil, SortDescriptor(\.note), SortDescriptor(\.name, order: .reverse))
                == ["Baltic", "Andes", "Alps"])
    }

    @Test(arguments: StoreKind.allCases)
    func `sorts by a property of a destination`(_ store: StoreKind) throws {
        try withTrips(store) { (context: ModelContext) throws -> Void in
            let stops = try context.all(
                Stop.self, by: SortDescriptor(\.trip?.name, order: .reverse), SortDescriptor(\.day))
            #expect(stops.map(\.title) == ["Lima", "Hut", "Top"])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `has a limit and an offset`(_ store: StoreKind) throws {
        #expect(try names(store, nil) { $0.fetchLimit = 2 } == ["Alps", "Andes"])
        #expect(try names(store, nil) { $0.fetchOffset = 1 } == ["Andes", "Baltic"])
        #expect(try names(store, nil) { ($0.fetchLimit, $0.fetchOffset) = (1, 1) } == ["Andes"])
        #expect(try names(store, nil) { $0.fetchLimit = 0 } == [])
    }

    @Test(arguments: StoreKind.allCases)
    func `counts matches`(_ store: StoreKind) throws {
        try withTrips(store) { (context: ModelContext) throws -> Void in
            #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 3)
            let few = FetchDescriptor<Trip>(predicate: #Predicate { $0.price > 60 })
            #expect(try context.fetchCount(few) == 2)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `returns identifiers`(_ store: StoreKind) throws {
        try withTrips(store) { (context: ModelContext) throws -> Void in
            let new = Trip(name: "Caucasus")
            context.insert(new)

            let ids = try context.fetchIdentifiers(
                FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)]))

            #expect(ids.count == 4 && ids.last == new.persistentModelID)
            #expect(
                ids.map { (context.model(for: $0) as? Trip)?.name }
                    == ["Alps", "Andes", "Baltic", "Caucasus"])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `prefetches relationships`(_ store: StoreKind) throws {
        let found = try names(store, nil) {
            $0.relationshipKeyPathsForPrefetching = [\.stops, \.guides]
        }
        #expect(found == ["Alps", "Andes", "Baltic"])
    }

    @Test(arguments: StoreKind.allCases)
    func `reads in batches`(_ store: StoreKind) throws {
        try withTrips(store) { (context: ModelContext) throws -> Void in
            let results = try context.fetch(
                FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)]), batchSize: 1)

            #expect(results.count == 3 && results[2].name == "Baltic")
            #expect(results.map(\.name) == ["Alps", "Andes", "Baltic"])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `calls a closure with each match`(_ store: StoreKind) throws {
        try withTrips(store) { (context: ModelContext) throws -> Void in
            var names: [String] = []
            try context.enumerate(
                FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)]), batchSize: 2
            ) {
                names.append($0.name)
            }
            #expect(names == ["Alps", "Andes", "Baltic"])

            try context.enumerate(FetchDescriptor<Trip>(), allowEscapingMutations: true) {
                $0.price = 1
            }
            #expect(context.changedModelsArray.count == 3)
            context.rollback()
            #expect(throws: ModelContext.EscapingMutation.self) {
                try context.enumerate(FetchDescriptor<Trip>()) { $0.price = 1 }
            }
        }
    }

    // MARK: Unsaved changes

    @Test(arguments: StoreKind.allCases)
    func `takes unsaved changes into account`(_ store: StoreKind) throws {
        try withTrips(store) { (context: ModelContext) throws -> Void in
            let alps = try #require(
                try context.all(where: #Predicate<Trip> { $0.name == "Alps" }).first)
            alps.name = "Zermatt"
            context.insert(Trip(name: "Caucasus"))
            try context.all(where: #Predicate<Trip> { $0.name == "Andes" }).forEach(context.delete)

            #expect(
                try context.all(Trip.self, by: SortDescriptor(\.name)).map(\.name)
                    == ["Baltic", "Caucasus", "Zermatt"])
            #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 3)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `can leave unsaved changes out of account`(_ store: StoreKind) throws {
        try withTrips(store) { (context: ModelContext) throws -> Void in
            context.insert(Trip(name: "Caucasus"))
            var descriptor = FetchDescriptor<Trip>()
            descriptor.includePendingChanges = false

            #expect(try context.fetchCount(descriptor) == 3)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `in sections have the order of their first models`(_ store: StoreKind) throws {
        try store.withContext { context in
            for (title, day) in [("d", 2), ("a", 1), ("c", 2), ("b", 3)] {
                context.insert(Stop(title: title, day: day))
            }

            let sections = try context.fetchSections(
                FetchDescriptor<Stop>(sortBy: [SortDescriptor(\.title)]), by: \.day)

            #expect(sections.map(\.name) == [1, 3, 2])
            #expect(sections.map { $0.models.map(\.title) } == [["a"], ["b"], ["c", "d"]])
        }
    }
}
