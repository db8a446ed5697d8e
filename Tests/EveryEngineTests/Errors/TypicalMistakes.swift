import Cairn
import CairnTestSupport
import Foundation
import GraphSupport
import Testing

/// A mistake that programs often make, and that Cairn answers with an error.
struct TypicalMistake: Sendable, CustomTestStringConvertible {
    /// The name of the file with the message.
    let name: String
    /// Makes the mistake.
    let make: @Sendable (Garden) throws -> Void

    init(_ name: String, _ make: @escaping @Sendable (Garden) throws -> Void) {
        self.name = name
        self.make = make
    }

    var testDescription: String { name }

    static let all = names + values + validation + objects + fetches + stores + versions + models
}

extension TypicalMistake {
    private static let names = [
        TypicalMistake("entity-misspelt") { garden in
            try garden.inContext { _ = try $0.insertNewObject(forEntityName: "Plnt") }
        },
        TypicalMistake("entity-abstract") { garden in
            try garden.inContext { _ = try $0.insertNewObject(forEntityName: "Living") }
        },
        TypicalMistake("property-misspelt") { garden in
            try garden.inContext { try $0.plant("Ivy").setValue(3, forKey: "heigth") }
        },
        TypicalMistake("property-of-another-entity") { garden in
            try garden.inContext { _ = try $0.bed().value(forKey: "height") }
        },
        TypicalMistake("request-template-missing") { garden in
            _ = try garden.coordinator.managedObjectModel.fetchRequestFromTemplate(
                withName: "tall", substitutionVariables: [:])
        },
        TypicalMistake("configuration-misspelt") { garden in
            try garden.coordinator.addPersistentStore(
                ofType: .inMemory, configurationName: "Wild")
        },
    ]

    private static let values = [
        TypicalMistake("value-of-another-type") { garden in
            try garden.inContext { try $0.plant("Ivy").setValue("tall", forKey: "height") }
        },
        TypicalMistake("value-out-of-range") { garden in
            try garden.inContext { try $0.plant("Ivy").setValue(70_000, forKey: "height") }
        },
        TypicalMistake("destination-of-another-entity") { garden in
            try garden.inContext { context in
                try context.plant("Ivy").setValue(context.plant("Moss"), forKey: "bed")
            }
        },
        TypicalMistake("members-as-one-object") { garden in
            try garden.inContext { context in
                try context.bed().setValue(context.plant("Moss"), forKey: "plants")
            }
        },
    ]

    private static let validation = [
        TypicalMistake("required-value-missing") { garden in
            try garden.inContext { context in
                _ = try context.insertNewObject(forEntityName: "Plant")
                try context.save()
            }
        },
        TypicalMistake("rule-broken") { garden in
            try garden.inContext { context in
                try context.plant("Ivy").setValue(301, forKey: "height")
                try context.save()
            }
        },
        TypicalMistake("rules-broken") { garden in
            try garden.inContext { context in
                try context.plant("Ivy").setValue(-1, forKey: "height")
                try context.plant("Moss").setValue("green", forKey: "code")
                try context.save()
            }
        },
        TypicalMistake("deletion-denied") { garden in
            try garden.inContext { context in
                try context.delete(context.bed())
                try context.save()
            }
        },
        TypicalMistake("duplicate") { garden in
            try garden.inContext { context in
                let plant = try context.insertNewObject(forEntityName: "Plant")
                try plant.setValue("Ivy", forKey: "name")
                try context.save()
            }
        },
    ]

    private static let objects = [
        TypicalMistake("object-deleted-here") { garden in
            try garden.inContext { context in
                let plant = try context.plant("Moss")
                try context.delete(plant)
                try context.save()
                _ = try plant.value(forKey: "height")
            }
        },
        TypicalMistake("object-deleted-elsewhere") { garden in
            try garden.inContext { context in
                let plant = try context.plant("Moss")
                try context.refreshAllObjects()
                try garden.inContext { other in
                    try other.delete(other.plant("Moss"))
                    try other.save()
                }
                _ = try plant.value(forKey: "height")
            }
        },
        TypicalMistake("object-changed-elsewhere") { garden in
            try garden.inContext { context in
                let plant = try context.plant("Moss")
                try plant.setValue(1, forKey: "height")
                try garden.inContext { other in
                    try other.plant("Moss").setValue(2, forKey: "height")
                    try other.save()
                }
                try context.save()
            }
        },
        TypicalMistake("relationship-broken-elsewhere") { garden in
            try garden.inContext { context in
                try context.plant("Moss").setValue(try context.bed(), forKey: "bed")
                try garden.inContext { other in
                    try other.delete(other.plant("Ivy"))
                    try other.delete(other.bed())
                    try other.save()
                }
                try context.save()
            }
        },
        TypicalMistake("object-of-another-context") { garden in
            try garden.inContext { context in
                let bed = Escaped(object: try context.bed())
                try garden.inContext { other in
                    try other.plant("Moss").setValue(bed.object, forKey: "bed")
                }
            }
        },
        TypicalMistake("object-outside-of-its-turn") { garden in
            let handle = ContextHandle(coordinator: garden.coordinator, classes: ObjectClasses())
            let escaped = try handle.performAndWait { Escaped(object: try $0.plant("Moss")) }
            defer { withExtendedLifetime(handle) {} }
            _ = try escaped.object.value(forKey: "height")
        },
        TypicalMistake("object-of-a-removed-store") { garden in
            try garden.inContext { context in
                let plant = try context.plant("Moss")
                try context.refreshAllObjects()
                try garden.coordinator.remove(garden.coordinator.persistentStores[0])
                _ = try plant.value(forKey: "height")
            }
        },
        TypicalMistake("relationship-to-another-store") { garden in
            let store = try garden.coordinator.addPersistentStore(ofType: .inMemory)
            try garden.inContext { context in
                let plant = try context.insertNewObject(forEntityName: "Plant")
                try plant.setValue("Fern", forKey: "name")
                try context.assign(plant, to: store)
                try plant.setValue(context.bed(), forKey: "bed")
                try context.save()
            }
        },
    ]

    private static let fetches = [
        TypicalMistake("predicate-property-misspelt") { garden in
            try garden.inContext {
                _ = try $0.fetch(FetchRequest<ManagedObject>("Plant", where: "heigth > 3"))
            }
        },
        TypicalMistake("predicate-syntax") { _ in
            _ = try FetchPredicate(format: "height > 3 AND")
        },
        TypicalMistake("predicate-argument-missing") { _ in
            _ = try FetchPredicate(format: "name == %@ AND height > %@", "Ivy")
        },
        TypicalMistake("predicate-value-of-another-type") { garden in
            try garden.inContext {
                _ = try $0.fetch(FetchRequest<ManagedObject>("Plant", where: "height > 'tall'"))
            }
        },
        TypicalMistake("predicate-compares-members") { garden in
            try garden.inContext {
                _ = try $0.fetch(FetchRequest<ManagedObject>("Bed", where: "plants.height > 3"))
            }
        },
        TypicalMistake("class-without-entity") { garden in
            try garden.inContext { _ = try $0.fetch(FetchRequest<Shrub>()) }
        },
        TypicalMistake("class-does-not-fit") { garden in
            try garden.inContext { _ = try $0.fetch(FetchRequest<WrongPlant>("Plant")) }
        },
        TypicalMistake("results-without-order") { garden in
            try garden.inContext { context in
                try FetchedResultsController(
                    fetchRequest: FetchRequest<ManagedObject>("Plant"),
                    managedObjectContext: context
                ).performFetch()
            }
        },
    ]

    private static let stores = [
        TypicalMistake("engine-misspelt") { garden in
            try garden.coordinator.addPersistentStore(
                ofType: "SQLLite", at: garden.folder.file("Other.sqlite"))
        },
        TypicalMistake("folder-missing") { garden in
            try garden.coordinator.addPersistentStore(
                ofType: .sqlite, at: garden.folder.file("Missing/Other.sqlite"))
        },
        TypicalMistake("file-url-missing") { garden in
            try garden.coordinator.addPersistentStore(ofType: .sqlite)
        },
        TypicalMistake("file-of-another-kind") { garden in
            let file = garden.folder.file("notes.txt")
            try Data("Water the ivy.".utf8).write(to: file)
            try garden.coordinator.addPersistentStore(ofType: .sqlite, at: file)
        },
        TypicalMistake("file-of-another-engine") { garden in
            try garden.coordinator.remove(garden.coordinator.persistentStores[0])
            try garden.coordinator.addPersistentStore(ofType: .lmdb, at: garden.url)
        },
        TypicalMistake("store-added-twice") { garden in
            try garden.coordinator.addPersistentStore(ofType: .sqlite, at: garden.url)
        },
        TypicalMistake("option-misspelt") { garden in
            try garden.coordinator.addPersistentStore(
                ofType: .sqlite, at: garden.folder.file("Other.sqlite"),
                options: ["synchronus": .string("full")])
        },
        TypicalMistake("option-value") { garden in
            try garden.coordinator.addPersistentStore(
                ofType: .sqlite, at: garden.folder.file("Other.sqlite"),
                options: [.timeout: .string("soon")])
        },
        TypicalMistake("store-never-loaded") { _ in
            let container = PersistentContainer(
                name: "Garden", managedObjectModel: try ManagedObjectModel(Garden.entities))
            try ContextHandle(coordinator: container.persistentStoreCoordinator)
                .performAndWait { context in
                    _ = try context.fetch(FetchRequest<ManagedObject>("Plant"))
                }
        },
        TypicalMistake("save-without-a-store") { _ in
            let coordinator = PersistentStoreCoordinator(
                managedObjectModel: try ManagedObjectModel(Garden.entities))
            try ContextHandle(coordinator: coordinator, classes: ObjectClasses()).performAndWait {
                context in
                try context.insertNewObject(forEntityName: "Plant").setValue("Ivy", forKey: "name")
                try context.save()
            }
        },
        TypicalMistake("store-read-only") { garden in
            let coordinator = PersistentStoreCoordinator(
                managedObjectModel: garden.coordinator.managedObjectModel)
            try coordinator.addPersistentStore(
                ofType: .sqlite, at: garden.url, options: [.readOnly: .boolean(true)])
            try ContextHandle(coordinator: coordinator, classes: ObjectClasses()).performAndWait {
                context in
                try context.plant("Ivy").setValue(3, forKey: "height")
                try context.save()
            }
        },
        TypicalMistake("copy-onto-a-store") { garden in
            let url = garden.folder.file("Other.sqlite")
            let other = try garden.coordinator.addPersistentStore(ofType: .sqlite, at: url)
            try garden.coordinator.remove(other)
            let store = garden.coordinator.persistentStores[0]
            _ = try garden.coordinator.migratePersistentStore(store, to: url, type: .sqlite)
        },
    ]

    private static let versions = [
        TypicalMistake("store-of-another-version") { garden in
            try garden.open(changing: { $0[1].properties.append(.attribute("color", .string)) })
        },
        TypicalMistake("migration-needs-a-default") { garden in
            try garden.open(
                options: [
                    .migratesAutomatically: .boolean(true), .infersMappingModel: .boolean(true),
                ]
            ) {
                $0[1].properties.append(.attribute("color", .string, isOptional: false))
            }
        },
    ]

    private static let models = [
        TypicalMistake("model-with-mistakes") { _ in
            _ = try ManagedObjectModel([
                EntityDescription(
                    "Plant",
                    [
                        .attribute("name", .string), .attribute("name", .integer16),
                        .toOne("bed", "Bad", inverse: "plants"),
                    ]),
                EntityDescription("Bed", [.toMany("plants", "Plant", inverse: "beds")]),
                EntityDescription("Bed", superentity: "Ground", []),
            ])
        },
        TypicalMistake("model-not-found") { _ in
            _ = try PersistentContainer(name: "Gardens")
        },
    ]
}

/// An object that left its turn.
private struct Escaped: @unchecked Sendable {
    // Unchecked: this is the mistake. The object is only used to see the error.
    let object: ManagedObject
}

/// A class that belongs to no entity.
private final class Shrub: ManagedObject {}

/// A class with a misspelt name and a wrong type.
private final class WrongPlant: ManagedObject {
    @Managed var nmae: String
    @Managed var height: String?
}

extension Garden {
    /// Opens the store with a changed model.
    fileprivate func open(
        options: StoreOptions = [
            .migratesAutomatically: .boolean(false), .infersMappingModel: .boolean(false),
        ],
        changing change: (inout [EntityDescription]) -> Void
    ) throws {
        try coordinator.remove(coordinator.persistentStores[0])
        var entities = Self.entities
        change(&entities)
        let coordinator = PersistentStoreCoordinator(
            managedObjectModel: try ManagedObjectModel(entities))
        try coordinator.addPersistentStore(ofType: .sqlite, at: url, options: options)
    }
}
