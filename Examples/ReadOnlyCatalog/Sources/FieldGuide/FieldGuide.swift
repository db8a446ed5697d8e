import Cairn
import Foundation

/// A species of the catalogue that ships with the program.
public final class Species: ManagedObject {
    /// The short name by which sightings refer to the species.
    @Managed public var code: String
    /// The English name.
    @Managed public var name: String

    override public class var entitySettings: EntitySettings {
        EntitySettings(of: Species.self, .entity(configuration: "Catalogue"), .unique("code"))
    }
}

/// Where the user saw a species. The reference leads from the user's store to the catalogue.
public final class Sighting: ManagedObject {
    /// Where the species was seen.
    @Managed public var place: String
    /// The species, which is in the catalogue.
    @Managed public var species: Species?

    override public class var entitySettings: EntitySettings {
        EntitySettings(
            of: Sighting.self, .entity(configuration: "Sightings"),
            .reference("species", by: "code", \Species.code))
    }
}

/// A guide to birds. The species ship with the program in a read-only LMDB store, and the user's sightings
/// are in a SQLite store. One context uses both.
public enum FieldGuide {
    /// Creates the catalogue, as the program's author does before shipping.
    public static func writeCatalogue(_ species: [String: String], to url: URL) throws {
        let coordinator = PersistentStoreCoordinator(
            managedObjectModel: try ManagedObjectModel(for: Species.self, Sighting.self))
        let store = try coordinator.addPersistentStore(
            ofType: .lmdb, configurationName: "Catalogue", at: url)
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            for (code, name) in species {
                let object = try Species(context: context)
                (object.code, object.name) = (code, name)
            }
            try context.save()
        }
        try coordinator.remove(store)
    }

    /// Opens the catalogue for reading, and the user's store, which the first start creates.
    public static func open(
        catalogue catalogueURL: URL, sightings sightingsURL: URL
    ) async throws -> PersistentContainer {
        let shipped = PersistentStoreDescription(type: .lmdb, url: catalogueURL)
        shipped.configuration = "Catalogue"
        shipped.isReadOnly = true
        let own = PersistentStoreDescription(type: .sqlite, url: sightingsURL)
        own.configuration = "Sightings"
        let container = try PersistentContainer(
            name: "FieldGuide", for: Species.self, Sighting.self)
        container.persistentStoreDescriptions = [shipped, own]
        try await container.loadPersistentStores()
        return container
    }

    /// Adds a sighting of a species. Returns the name of the species if the catalogue contains it.
    public static func note(
        _ code: String, at place: String, in context: ManagedObjectContext
    ) throws -> String? {
        let found = try context.first(Species.self, where: #Predicate { $0.code == code })
        guard let species = found else { return nil }
        let sighting = try Sighting(context: context)
        (sighting.place, sighting.species) = (place, species)
        try context.save()
        return species.name
    }

    /// Returns where a species was seen, given its name.
    public static func places(
        ofSpeciesNamed name: String, in context: ManagedObjectContext
    ) throws -> [String] {
        var request = try FetchRequest<Sighting>("Sighting", where: "species.name ==[c] %@", name)
        request.sortDescriptors = [FetchSortDescriptor("place")]
        return try context.fetch(request).map(\.place)
    }
}
