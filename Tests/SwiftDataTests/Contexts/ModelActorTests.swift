import Foundation
import SwiftData
import Testing

@ModelActor
actor TripImporter {
    func add(_ name: String) throws -> PersistentIdentifier {
        let trip = Trip(name: name)
        modelContext.insert(trip)
        try modelContext.save()
        return trip.persistentModelID
    }

    func name(of id: PersistentIdentifier) -> String? { self[id, as: Trip.self]?.name }

    func rename(_ id: PersistentIdentifier, to name: String) throws {
        self[id, as: Trip.self]?.name = name
        try modelContext.save()
    }

    func count() throws -> Int { try modelContext.fetchCount(FetchDescriptor<Trip>()) }
}

@Suite struct `A model actor` {
    private func container() throws -> ModelContainer {
        try ModelContainer(
            for: Trip.self, Pilot.self,
            configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    }

    @Test func `has a context of its own`() async throws {
        let container = try container()
        let importer = TripImporter(modelContainer: container)

        let id = try await importer.add("a")
        try await importer.rename(id, to: "b")

        #expect(await importer.name(of: id) == "b")
        #expect((ModelContext(container).model(for: id) as? Trip)?.name == "b")
    }

    @Test func `runs its calls one after another`() async throws {
        let container = try container()
        let importer = TripImporter(modelContainer: container)

        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<50 { group.addTask { _ = try await importer.add("\(number)") } }
            try await group.waitForAll()
        }

        #expect(try await importer.count() == 50)
    }

    @Test func `finds no model that does not exist`() async throws {
        let importer = TripImporter(modelContainer: try container())
        let other = TripImporter(modelContainer: try container())

        let id = try await other.add("a")

        #expect(await importer.name(of: id) == nil)
    }
}
