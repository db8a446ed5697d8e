import Cairn
import CairnTestSupport
import FieldGuide
import Foundation
import Testing

/// The stack of Examples/ReadOnlyCatalog.
@Suite struct `A shipped catalogue beside the user's own store` {
    private let folder: TemporaryFolder
    private var catalogue: URL { folder.file("Birds.lmdb") }

    init() throws {
        folder = try TemporaryFolder()
        try FieldGuide.writeCatalogue(["WREN": "Wren", "ROBI": "Robin"], to: catalogue)
    }

    private func open() async throws -> PersistentContainer {
        try await FieldGuide.open(
            catalogue: catalogue, sightings: folder.file("Sightings.sqlite"))
    }

    @Test func `is linked in both directions, and persists from one launch to the next`()
        async throws
    {
        let name = try await open().performBackgroundTask { context in
            _ = try FieldGuide.note("WREN", at: "Quarry", in: context)
            return try FieldGuide.note("WREN", at: "Garden", in: context)
        }

        let places = try await open().performBackgroundTask { context in
            try FieldGuide.places(ofSpeciesNamed: "wren", in: context)
        }

        #expect(name == "Wren")
        #expect(places == ["Garden", "Quarry"])
    }

    @Test
    func `is never written, so an unknown species is dropped and a new one refused`()
        async throws
    {
        let before = try Data(contentsOf: catalogue)

        let (name, sightings) = try await open().performBackgroundTask { context in
            let name = try FieldGuide.note("DODO", at: "Attic", in: context)
            let species = try context.insertNewObject(forEntityName: "Species")
            try species.setValue("DODO", forKey: "code")
            try species.setValue("Dodo", forKey: "name")
            #expect {
                try context.save()
            } throws: { error in
                guard case GraphError.store(.readOnly(let location)) = error else { return false }
                return location.description.hasSuffix("Birds.lmdb")
            }
            return (name, try context.count(for: FetchRequest<ManagedObject>("Sighting")))
        }

        #expect(name == nil)
        #expect(sightings == 0)
        #expect(try Data(contentsOf: catalogue) == before)
    }
}
