import Cairn
import CairnTestSupport
import CairnTesting
import Foundation
import GraphSupport

/// A species of a guide's catalogue, which is a store of its own.
class Species: ManagedObject {
    @Managed var code: String?
    @Managed var name: String
    @Managed var size: Int
    @Managed var family: Family?
    @Managed var model: Species?

    override class var entitySettings: EntitySettings {
        EntitySettings(
            of: Species.self, .entity(configuration: "Catalogue"), .unique("code"),
            .attribute("name", default: ""), .attribute("size", default: 0),
            .reference("model", by: "code", \Species.code))
    }
}

final class Bird: Species {
    override class var entitySettings: EntitySettings {
        EntitySettings(of: Bird.self, .entity(configuration: "Catalogue"))
    }
}

final class Family: ManagedObject {
    @Managed var name: String
    @Managed var species: Members<Species>

    override class var entitySettings: EntitySettings {
        EntitySettings(
            of: Family.self, .entity(configuration: "Catalogue"), .attribute("name", default: ""))
    }
}

/// The user's own object, in another store than species.
final class Sighting: ManagedObject {
    @Managed var label: String
    @Managed var yard: Yard?
    /// By a key.
    @Managed var species: Species?
    /// By the URI.
    @Managed var seen: Species?
    /// The same as the species, in a store with the sightings.
    @Managed var twin: Twin?

    override class var entitySettings: EntitySettings {
        EntitySettings(
            of: Sighting.self, .entity(configuration: "User"), .attribute("label", default: ""),
            .reference("species", by: "code", \Species.code), .reference("seen"))
    }
}

final class Yard: ManagedObject {
    @Managed var name: String
    @Managed var sightings: Members<Sighting>

    override class var entitySettings: EntitySettings {
        EntitySettings(
            of: Yard.self, .entity(configuration: "User"), .attribute("name", default: ""))
    }
}

/// What a species is, in the store of the sightings and with relationships instead of references.
final class Twin: ManagedObject {
    @Managed var code: String?
    @Managed var name: String
    @Managed var size: Int
    @Managed var family: TwinFamily?
    @Managed var model: Twin?

    override class var entitySettings: EntitySettings {
        EntitySettings(
            of: Twin.self, .entity(configuration: "User"), .attribute("name", default: ""),
            .attribute("size", default: 0), .relationship("model", inverse: .none))
    }
}

final class TwinFamily: ManagedObject {
    @Managed var name: String
    @Managed var species: Members<Twin>

    override class var entitySettings: EntitySettings {
        EntitySettings(
            of: TwinFamily.self, .entity(configuration: "User"), .attribute("name", default: ""))
    }
}

/// A catalogue of species and a store with the user's sightings, of any engines.
final class GuideStack: Sendable {
    /// Every engine has the catalogue and the sightings once.
    static let pairs: [[StoreType]] =
        everyEngine.map { [$0, $0] }
        + zip(everyEngine, everyEngine.dropFirst() + everyEngine.prefix(1)).map { [$0, $1] }

    private static let classes: [ManagedObject.Type] = [
        Species.self, Bird.self, Family.self, Sighting.self, Yard.self, Twin.self, TwinFamily.self,
    ]

    let folder: TemporaryFolder
    let coordinator: PersistentStoreCoordinator
    let catalogue: any PersistentStore
    let user: any PersistentStore
    /// The faults of the two stores.
    let faults = [StoreFaults(), StoreFaults()]

    init(_ types: [StoreType]) throws {
        let folder = try TemporaryFolder()
        self.folder = folder
        coordinator = PersistentStoreCoordinator(
            managedObjectModel: try ManagedObjectModel(for: Self.classes),
            registry: .builtIn.injectingFaults())
        catalogue = try coordinator.addPersistentStore(
            ofType: types[0], configurationName: "Catalogue",
            at: folder.url(of: types[0], "catalogue.store"),
            options: faults[0].options)
        user = try coordinator.addPersistentStore(
            ofType: types[1], configurationName: "User",
            at: folder.url(of: types[1], "user.store"),
            options: faults[1].options)
    }

    @discardableResult
    func inContext<Result: Sendable>(
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) throws -> Result {
        try ContextHandle(coordinator: coordinator, classes: ObjectClasses(Self.classes))
            .performAndWait(body)
    }

    /// Saves two species, `WREN` and `ROBI`, and the sightings `a` and `b` of them. The key of the sighting `c`
    /// leads nowhere, and `d` has no key.
    func fill() throws {
        try inContext { context in
            let wren = try context.species("WREN", "Wren")
            let robin = try context.species("ROBI", "Robin", as: Bird.self)
            let family = try Family(context: context)
            family.name = "Singers"
            wren.family = family
            robin.model = wren
            let yard = try Yard(context: context)
            yard.name = "ours"
            try context.sighting("a", wren).yard = yard
            try context.sighting("b", robin).yard = yard
            try context.sighting("c", nil).setValue("DODO", forKey: "species")
            try context.sighting("d", nil)
            try context.save()
        }
    }

    /// Returns the labels of the sightings that a new context finds.
    func labels(where format: String) throws -> String {
        try inContext { try $0.labels(where: format) }
    }
}

extension ManagedObjectContext {
    @discardableResult
    func species<Object: Species>(
        _ code: String?, _ name: String, as objectClass: Object.Type = Species.self
    ) throws -> Object {
        let species = try insert(objectClass)
        species.code = code
        species.name = name
        return species
    }

    @discardableResult
    func sighting(_ label: String, _ species: Species?) throws -> Sighting {
        let sighting = try Sighting(context: self)
        sighting.label = label
        sighting.species = species
        return sighting
    }

    func sighting(_ label: String) throws -> Sighting {
        guard let found = try first(Sighting.self, where: #Predicate { $0.label == label }) else {
            throw CocoaError(.keyValueValidation)
        }
        return found
    }

    func foundSpecies(_ code: String) throws -> Species {
        guard let found = try first(Species.self, where: #Predicate { $0.code == code }) else {
            throw CocoaError(.keyValueValidation)
        }
        return found
    }

    /// Returns the labels of the sightings that meet the condition, in their order.
    func labels(
        where format: String, _ arguments: any PredicateArgument..., by sorts: [String] = ["label"]
    ) throws -> String {
        var request = FetchRequest<Sighting>("Sighting")
        request.predicate = try FetchPredicate(format: format, arguments: arguments)
        request.sortDescriptors = sorts.map { FetchSortDescriptor($0) }
        return try fetch(request).map(\.label).joined()
    }
}
