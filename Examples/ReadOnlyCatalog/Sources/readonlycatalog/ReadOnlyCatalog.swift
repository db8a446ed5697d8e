import Cairn
import FieldGuide
import Foundation

/// Uses the guide like a birdwatcher.
@main struct ReadOnlyCatalog {
    static func main() async throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "fieldguide-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let catalogue = folder.appending(path: "Birds.lmdb")
        try FieldGuide.writeCatalogue(["WREN": "Wren", "ROBI": "Robin"], to: catalogue)

        let container = try await FieldGuide.open(
            catalogue: catalogue, sightings: folder.appending(path: "Sightings.sqlite"))
        try await container.performBackgroundTask { context in
            for (code, place) in [("WREN", "Garden"), ("WREN", "Quarry"), ("DODO", "Attic")] {
                let name = try FieldGuide.note(code, at: place, in: context)
                print("\(place): \(name ?? "“\(code)” is not in the catalogue")")
            }
            print("Wrens: \(try FieldGuide.places(ofSpeciesNamed: "wren", in: context))")

            let species = try Species(context: context)
            (species.code, species.name) = ("DODO", "Dodo")
            do {
                try context.save()
            } catch {
                print("A new species: \(error)")
            }
        }
    }
}
