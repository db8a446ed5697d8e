import Cairn
import CairnTestSupport
import Foundation
import GraphSupport

/// A store of plants and beds, in which mistakes are made.
struct Garden {
    /// The folder of the stores. It exists as long as this value.
    let folder: TemporaryFolder
    let coordinator: PersistentStoreCoordinator

    /// Opens a new SQLite store with the plants “Ivy”, in the bed “North”, and “Moss”.
    init() throws {
        folder = try TemporaryFolder()
        coordinator = PersistentStoreCoordinator(
            managedObjectModel: try ManagedObjectModel(Self.entities))
        try coordinator.addPersistentStore(ofType: .sqlite, at: url)
        try inContext { context in
            let bed = try context.insertNewObject(forEntityName: "Bed")
            try bed.setValue("North", forKey: "name")
            for name in ["Ivy", "Moss"] {
                let plant = try context.insertNewObject(forEntityName: "Plant")
                try plant.setValue(name, forKey: "name")
                if name == "Ivy" { try plant.setValue(bed, forKey: "bed") }
            }
            try context.save()
        }
    }

    var url: URL { folder.file("Garden.sqlite") }

    func inContext<Result: Sendable>(
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) throws -> Result {
        try ContextHandle(coordinator: coordinator, classes: ObjectClasses()).performAndWait(body)
    }

    static let entities: [EntityDescription] = [
        living,
        plant,
        EntityDescription(
            "Bed",
            [
                .attribute("name", .string),
                .toMany("plants", "Plant", inverse: "bed", deleteRule: .deny),
            ]),
    ]

    private static var living: EntityDescription {
        var living = EntityDescription("Living", [.attribute("name", .string, isOptional: false)])
        living.isAbstract = true
        return living
    }

    private static var plant: EntityDescription {
        var plant = EntityDescription(
            "Plant", superentity: "Living",
            [
                .attribute(
                    "height", .integer16, isOptional: true,
                    validationRules: [.minimum(.integer(0)), .maximum(.integer(300))]),
                .attribute(
                    "code", .string, isOptional: true,
                    validationRules: [.matches(regularExpression: "[A-Z]{2}[0-9]{3}")]),
                .attribute("planted", .date),
                .toOne("bed", "Bed", inverse: "plants"),
            ])
        plant.uniquenessConstraints = [["name"]]
        return plant
    }
}

extension ManagedObjectContext {
    /// Returns the plant with a name.
    func plant(_ name: String) throws -> ManagedObject {
        let request = try FetchRequest<ManagedObject>("Plant", where: "name == %@", name)
        guard let plant = try fetch(request).first else { throw CocoaError(.fileNoSuchFile) }
        return plant
    }

    /// Returns the only bed.
    func bed() throws -> ManagedObject {
        guard let bed = try fetch(FetchRequest<ManagedObject>("Bed")).first else {
            throw CocoaError(.fileNoSuchFile)
        }
        return bed
    }
}
