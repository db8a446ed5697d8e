import CairnTestSupport
import Foundation
import SwiftData
import Testing

@Suite struct `A model container` {
    @Test(arguments: ["SQLite", "LMDB", "XML", "Binary"])
    func `stores models with any engine`(_ engine: String) throws {
        let folder = try TemporaryFolder()
        let configuration = ModelConfiguration(url: folder.file("store"), storeType: engine)
        do {
            let context = ModelContext(
                try ModelContainer(for: Trip.self, Pilot.self, configurations: configuration))
            let trip = Trip(name: "a")
            trip.stops = [Stop(title: "x"), Stop(title: "y")]
            trip.home = Address(street: "s", town: "t", number: 3)
            context.insert(trip)
            try context.save()
        }

        let context = ModelContext(
            try ModelContainer(for: Trip.self, Pilot.self, configurations: configuration))

        let trip = try #require(try context.all(Trip.self).first)
        #expect(trip.home == Address(street: "s", town: "t", number: 3))
        #expect(Set(trip.stops.map(\.title)) == ["x", "y"])
    }

    @Test func `contains the models that relationships lead to`() throws {
        let container = try ModelContainer(
            for: Trip.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))

        #expect(throws: Never.self) { try ModelContext(container).all(Stop.self) }
        #expect(throws: Never.self) { try ModelContext(container).all(Guide.self) }
        #expect(throws: (any Error).self) { try ModelContext(container).all(Pilot.self) }
    }

    @Test func `has separate stores in memory`() throws {
        let configuration = ModelConfiguration(isStoredInMemoryOnly: true)
        let first = try ModelContainer(for: Stop.self, configurations: configuration)
        let second = try ModelContainer(for: Stop.self, configurations: configuration)
        let context = ModelContext(first)
        context.insert(Stop(title: "a"))
        try context.save()

        #expect(try ModelContext(second).fetchCount(FetchDescriptor<Stop>()) == 0)
    }

    @Test func `that does not allow saving refuses to save`() throws {
        let folder = try TemporaryFolder()
        let url = folder.file("store")
        _ = try ModelContainer(for: Stop.self, configurations: ModelConfiguration(url: url))
        let container = try ModelContainer(
            for: Stop.self, configurations: ModelConfiguration(url: url, allowsSave: false))
        let context = ModelContext(container)
        context.insert(Stop(title: "a"))

        #expect(throws: (any Error).self) { try context.save() }
    }

    @Test func `keeps the models of each configuration in a store of its own`() throws {
        let folder = try TemporaryFolder()
        let configurations = [
            ModelConfiguration(
                "people", schema: Schema([Person.self]), url: folder.file("people.store")),
            ModelConfiguration(
                "folders", schema: Schema([Folder.self]), url: folder.file("folders.store")),
        ]
        let context = ModelContext(
            try ModelContainer(
                for: Schema([Person.self, Folder.self]), configurations: configurations))
        context.insert(Person(name: "Ann"))
        context.insert(Folder(name: "root"))
        try context.save()

        let people = ModelContext(
            try ModelContainer(
                for: Schema([Person.self, Folder.self]), configurations: [configurations[0]]))

        #expect(try people.fetchCount(FetchDescriptor<Person>()) == 1)
        #expect(throws: (any Error).self) { try people.fetchCount(FetchDescriptor<Folder>()) }
    }

    @Test func `cannot be opened without the folder of its store`() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appending(path: "missing/store")

        #expect(throws: (any Error).self) {
            try ModelContainer(for: Stop.self, configurations: ModelConfiguration(url: url))
        }
    }

    @Test func `refuses an option that the engine does not know`() throws {
        let folder = try TemporaryFolder()
        let configuration = ModelConfiguration(url: folder.file("a"), options: ["nonsense": 1])

        #expect(throws: (any Error).self) {
            try ModelContainer(for: Stop.self, configurations: configuration)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `deletes all data`(_ store: StoreKind) throws {
        try store.withContainer { container in
            let context = ModelContext(container)
            let trip = Trip(name: "a")
            trip.stops = [Stop(title: "x")]
            trip.guides = [Pilot(name: "Ann", hours: 2)]
            context.insert(trip)
            try context.save()

            try container.deleteAllData()

            let other = ModelContext(container)
            #expect(try other.fetchCount(FetchDescriptor<Trip>()) == 0)
            #expect(try other.fetchCount(FetchDescriptor<Stop>()) == 0)
            #expect(try other.fetchCount(FetchDescriptor<Guide>()) == 0)
        }
    }

    @Test func `has the default location in the folder of the program`() {
        let configuration = ModelConfiguration("library")

        #expect(configuration.url.lastPathComponent == "library.store")
        #expect(ModelConfiguration().url.lastPathComponent == "default.store")
        #expect(configuration.name == "library" && configuration.allowsSave)
    }

    @Test func `has the schema and the configurations that it was created with`() throws {
        let configuration = ModelConfiguration("memory", isStoredInMemoryOnly: true)
        let container = try ModelContainer(
            for: Schema([Stop.self], version: Schema.Version(2, 1, 0)),
            configurations: configuration)

        #expect(container.schema.version == Schema.Version(2, 1, 0))
        #expect(container.configurations == [configuration])
    }
}
