import CairnMacros
import CairnTestSupport
import Foundation
import Testing

// The listing of docs/several-stores.md. A test compares it word for word.

@Entity(configuration: "Catalogue") final class Species: ManagedObject {
    @Unique var code = ""
    var name = ""
}

@Entity(configuration: "User") final class Sighting: ManagedObject {
    var garden = ""
    @Reference(\Species.code) var species: Species?
}

func openGuide(in folder: URL) async throws -> PersistentContainer {
    let catalogue = PersistentStoreDescription(
        type: .lmdb, url: folder.appending(path: "Catalog.lmdb"))
    catalogue.configuration = "Catalogue"
    let notes = PersistentStoreDescription(
        type: .sqlite, url: folder.appending(path: "Notes.sqlite"))
    notes.configuration = "User"
    let container = try PersistentContainer(name: "Guide", for: Species.self, Sighting.self)
    container.persistentStoreDescriptions = [catalogue, notes]
    try await container.loadPersistentStores()
    return container
}

func note(_ code: String, in container: PersistentContainer) async throws -> [String] {
    try await container.perform { context in
        // From Catalog.lmdb, and into Notes.sqlite.
        let species = try context.first(Species.self, where: #Predicate { $0.code == code })
        _ = try Sighting(context: context, garden: "ours", species: species)
        try context.save()
        let ours = try context.fetch(
            Sighting.self, where: #Predicate { $0.garden == "ours" && $0.species != nil },
            prefetching: [\.species])
        return ours.compactMap { $0.species?.name }
    }
}

/// An entity that the guide does not need: its fetched property is sorted and limited.
@Entity private final class Shelf: ManagedObject {
    var least = ""
    @FetchedProperty(
        "name > $FETCH_SOURCE.least", sortedBy: [.init("name", isAscending: false)], limit: 2)
    var last: [Species]
}

private final class Wrong: ManagedObject {
    @Managed var name: String
    override class var entitySettings: EntitySettings {
        EntitySettings(of: Wrong.self, .fetchedProperty("others", of: Wrong.self, where: "name =="))
    }
}

@Suite struct `Classes in several stores` {
    @Test func `are shown by a page`() throws {
        let source = try Repository.text("Tests/CairnMacrosTests/SeveralStoresTests.swift")
        let start = try #require(source.range(of: "@Entity(configuration:")).lowerBound
        let end = try #require(source.range(of: "\n/// An entity that the guide")).lowerBound

        let page = try Repository.text("docs/several-stores.md")

        #expect(page.contains("```swift\nimport CairnMacros\n\n\(source[start..<end])```"))
    }

    @Test func `are saved in the stores of their configurations, and find each other`() async throws
    {
        let folder = try TemporaryFolder()
        let container = try await openGuide(in: folder.url)
        try await container.perform { context in
            _ = try Species(context: context, code: "PIC", name: "Magpie")
            try context.save()
        }

        let names = try await note("PIC", in: container)
        let unchanged = try await note("XXX", in: container)

        #expect(names == ["Magpie"])
        #expect(unchanged == ["Magpie"])
        #expect(container.managedObjectModel.configurations == ["Catalogue", "User"])
        let counts = try await container.perform { context in
            let stores = container.persistentStoreCoordinator.persistentStores
            return try zip(["Species", "Sighting"], stores).map { entity, store in
                var request = FetchRequest<ManagedObject>(entity)
                request.affectedStores = [store]
                return try context.count(for: request)
            }
        }
        #expect(counts == [1, 2])
    }

    @Test func `have fetched properties with an order and a limit`() async throws {
        let container = try PersistentContainer(name: "Shelf", for: Species.self, Shelf.self)
        container.persistentStoreDescriptions = [PersistentStoreDescription(type: .inMemory)]
        try await container.loadPersistentStores()

        let names = try await container.perform { context in
            for name in ["a", "b", "c", "d"] {
                _ = try Species(context: context, code: name, name: name)
            }
            let shelf = try Shelf(context: context, least: "a")
            let byName: [Species] = try shelf.fetchedObjects("last")
            try context.save()
            return [try shelf.last.map(\.name), byName.map(\.name)]
        }

        #expect(names == [["d", "c"], ["d", "c"]])
    }

    @Test func `are refused with the location of a predicate that cannot be read`() throws {
        let error = #expect(throws: ModelError.self) { try ManagedObjectModel(for: Wrong.self) }

        guard case .invalid(let problems) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(problems.map(\.kind) == [.unreadablePredicate])
        #expect(problems[0].description.contains("Wrong.others: its predicate cannot be read"))
        #expect(problems[0].description.contains("SeveralStoresTests.swift:"))
    }
}
