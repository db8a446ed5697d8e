import Cairn
import Foundation

/// References to another store, compared with a to-one relationship in one store.
struct FollowReference: Workload {
    let name = "reference"
    let title = "fetch all objects and read a value through their reference to another store"
    let about = About(
        goal: "every engine ≤ 1.3 of a to-one in one store",
        heldFixed: """
            as many sightings as the row's size, in the order of their keys, and the names of their \
            species, which are a tenth as many; all prefetched; no row cached
            """,
        varied: """
            a species is in the store of the sightings, and a to-one leads to it; it is in another \
            store, and its key, a text of 8 bytes, leads to it
            """,
        rest: """
            a text is hashed for each sighting instead of a number; species are found by unique values, 500 of \
            them at a time, or all are fetched if at least half of them are asked for
            """)

    func plan(in setting: Setting) throws -> WorkloadPlan {
        let urls = try setting.guide()
        let kept = urls == nil ? try Guide(setting, at: nil) : nil
        try kept?.fill(setting.size)
        func contender(_ name: String, _ role: Contender.Role, _ path: String, _ goal: Goal?)
            -> Contender
        {
            Contender(name, role, goal: goal) {
                let guide = try kept ?? Guide(setting, at: urls)
                defer { if kept == nil { try? guide.close() } }
                return try guide.read(by: path)
            }
        }
        return .contests([
            Contest(
                unit: "row",
                [
                    contender("Cairn, to-one in one store", .baseline, "twin", nil),
                    contender("Cairn, reference", .ours, "species", .ratio(1.3)),
                ])
        ])
    }
}

/// A species, which is in a catalogue of its own.
private final class Species: ManagedObject {
    @Managed var code: String
    @Managed var name: String

    override class var entitySettings: EntitySettings {
        EntitySettings(of: Species.self, .entity(configuration: "Catalogue"), .unique("code"))
    }
}

/// A species in the store of the sightings.
private final class Twin: ManagedObject {
    @Managed var code: String
    @Managed var name: String
    @Managed var sightings: Members<Sighting>

    override class var entitySettings: EntitySettings {
        EntitySettings(of: Twin.self, .entity(configuration: "User"), .unique("code"))
    }
}

private final class Sighting: ManagedObject {
    @Managed var label: String
    @Managed var species: Species?
    @Managed var twin: Twin?

    override class var entitySettings: EntitySettings {
        EntitySettings(
            of: Sighting.self, .entity(configuration: "User"),
            .reference("species", by: "code", \Species.code))
    }
}

/// Two stores of one coordinator: a catalogue, and sightings.
private struct Guide: Sendable {
    let container: PersistentContainer

    /// - Parameter urls: The locations of the stores, or `nil` for stores in memory.
    init(_ setting: Setting, at urls: [URL]?) throws {
        container = try PersistentContainer(
            name: "Guide", for: Species.self, Twin.self, Sighting.self)
        for (index, configuration) in ["Catalogue", "User"].enumerated() {
            try container.persistentStoreCoordinator.addPersistentStore(
                ofType: setting.engine, configurationName: configuration, at: urls?[index],
                options: setting.shelf.options(of: setting.engine))
        }
    }

    func fill(_ size: Int) throws {
        try container.newBackgroundContext().performAndWait { context in
            var kinds: [(Species, Twin)] = []
            for index in 0..<max(size / 10, 1) {
                let (species, twin) = (try Species(context: context), try Twin(context: context))
                species.code = "code\(1000 + index % 9000)\(index / 9000)"
                species.name = "species \(index)"
                (twin.code, twin.name) = (species.code, species.name)
                kinds.append((species, twin))
            }
            try context.save()
            for index in 0..<size {
                let sighting = try Sighting(context: context)
                sighting.label = "sighting \(index)"
                (sighting.species, sighting.twin) = kinds[index * 7 % kinds.count]
            }
            try context.save()
        }
    }

    func read(by path: String) throws -> Sample {
        try container.newBackgroundContext().performAndWait { context in
            var watch = Stopwatch()
            let names = try watch.time {
                var request = FetchRequest<Sighting>("Sighting")
                request.relationshipKeyPathsForPrefetching = [path]
                let sightings: [Sighting] = try context.fetch(request)
                return path == "twin"
                    ? sightings.map { $0.twin?.name ?? "" }
                    : sightings.map { $0.species?.name ?? "" }
            }
            return Sample(
                watch, operations: names.count,
                checksum: RowChecksum(names.map(ItemValues.digest)).value)
        }
    }

    func close() throws {
        let coordinator = container.persistentStoreCoordinator
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }
}

extension Setting {
    /// Returns the locations of the guide's two stores, which must not be changed. Returns `nil` for an engine
    /// whose stores do not outlive the process.
    fileprivate func guide() throws -> [URL]? {
        guard engine.isDurable else { return nil }
        var made: [URL] = []
        for name in ["catalogue", "sightings"] {
            made.append(
                try shelf.template("\(name)-\(engine.rawValue)-\(size)", of: engine) { url in
                    // The second store completes the pair.
                    guard let first = made.first else { return }
                    let guide = try Guide(self, at: [first, url])
                    try guide.fill(size)
                    try guide.close()
                })
        }
        return made
    }
}
