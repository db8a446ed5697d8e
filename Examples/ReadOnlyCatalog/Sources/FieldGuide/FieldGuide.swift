import Cairn
import Foundation

/// A guide to birds. The species ship with the program in a read-only LMDB store, and the user's sightings
/// are in a SQLite store. One context uses both.
///
/// Relationships cannot lead from one store to another. A sighting therefore contains the code of its
/// species, and fetched properties connect the two in both directions.
public enum FieldGuide {
    /// Returns the model of both stores. Its configurations determine which entities each store contains.
    public static func model() throws -> ManagedObjectModel {
        var description = try ModelDescription([
            EntityDescription(
                "Species",
                [
                    .attribute("code", .string, isOptional: false),
                    .attribute("name", .string, isOptional: false),
                    fetched(
                        "sightings", "Sighting", "speciesCode == $FETCH_SOURCE.code", by: "place"),
                ]),
            EntityDescription(
                "Sighting",
                [
                    .attribute("speciesCode", .string, isOptional: false),
                    .attribute("place", .string, isOptional: false),
                    fetched("species", "Species", "code == $FETCH_SOURCE.speciesCode", by: "code"),
                ]),
        ])
        description.configurations = ["Catalogue": ["Species"], "Sightings": ["Sighting"]]
        return try ManagedObjectModel(description)
    }

    private static func fetched(
        _ name: String, _ entity: String, _ format: String, by key: String
    ) throws -> PropertyDescription {
        var template = FetchRequestTemplate(
            entity: entity, condition: .predicate(try FetchPredicate(format: format)))
        template.sortDescriptors = [.init(key)]
        return .fetchedProperty(FetchedPropertyDescription(name, template))
    }

    /// Creates the catalogue, as the program's author does before shipping.
    public static func writeCatalogue(_ species: [String: String], to url: URL) throws {
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try model())
        let store = try coordinator.addPersistentStore(
            ofType: .lmdb, configurationName: "Catalogue", at: url)
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            for (code, name) in species {
                let object = try context.insertNewObject(forEntityName: "Species")
                try object.setValue(code, forKey: "code")
                try object.setValue(name, forKey: "name")
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
        let container = PersistentContainer(name: "FieldGuide", managedObjectModel: try model())
        container.persistentStoreDescriptions = [shipped, own]
        try await container.loadPersistentStores()
        return container
    }

    /// Adds a sighting of a species. Returns the name of the species if the catalogue contains it.
    public static func note(
        _ code: String, at place: String, in context: ManagedObjectContext
    ) throws -> String? {
        let sighting = try context.insertNewObject(forEntityName: "Sighting")
        try sighting.setValue(code, forKey: "speciesCode")
        try sighting.setValue(place, forKey: "place")
        let species = try sighting.value(forKey: "species") as? [ManagedObject]
        guard let name = try species?.first?.value(forKey: "name") as? String else {
            try context.delete(sighting)
            return nil
        }
        try context.save()
        return name
    }

    /// Returns where a species was seen, given its name.
    public static func places(
        ofSpeciesNamed name: String, in context: ManagedObjectContext
    ) throws -> [String] {
        let request = try FetchRequest<ManagedObject>("Species", where: "name ==[c] %@", name)
        let sightings = try context.fetch(request).first?.value(forKey: "sightings")
        return try (sightings as? [ManagedObject] ?? []).compactMap {
            try $0.value(forKey: "place") as? String
        }
    }
}
