import Cairn
import CairnTestSupport
import GraphSupport

/// A handle `c` that reads before, and a handle `d` that saves in between.
struct OwnerScene {
    let folder: TemporaryFolder
    let coordinator: PersistentStoreCoordinator
    let c: ContextHandle
    let d: ContextHandle

    init(_ type: StoreType, _ policy: MergePolicyType = .error) throws {
        folder = try TemporaryFolder()
        coordinator = PersistentStoreCoordinator(
            managedObjectModel: try ManagedObjectModel(Self.entities))
        try coordinator.addPersistentStore(
            ofType: type, at: folder.url(of: type, "owners.store"),
            options: [.timeout: .real(60)])
        (c, d) = (
            ContextHandle(coordinator: coordinator), ContextHandle(coordinator: coordinator)
        )
        try c.performAndWait { $0.mergePolicy = StandardMergePolicy(policy) }
    }

    static var entities: [EntityDescription] {
        func member(_ name: String, _ inverse: String, isOptional: Bool) -> EntityDescription {
            EntityDescription(
                name,
                [
                    .attribute("name", .string),
                    .toOne("owner", "Owner", inverse: inverse, isOptional: isOptional),
                ])
        }
        return [
            EntityDescription(
                "Owner",
                [
                    .attribute("name", .string),
                    .toMany("parts", "Part", inverse: "owner", deleteRule: .cascade),
                    .toMany("notes", "Note", inverse: "owner", deleteRule: .nullify),
                    .toMany("guards", "Guard", inverse: "owner", deleteRule: .deny),
                    .toMany("loose", "Loose", inverse: "owner", deleteRule: .noAction),
                    .toOne("seat", "Seat", inverse: "holder"),
                ]),
            member("Part", "parts", isOptional: false),
            member("Note", "notes", isOptional: true),
            member("Guard", "guards", isOptional: true),
            member("Loose", "loose", isOptional: true),
            EntityDescription(
                "Seat",
                [.attribute("name", .string), .toOne("holder", "Owner", inverse: "seat")]),
        ]
    }

    /// Saves owners “o” and “x”, and a part of “o”.
    func fill() throws {
        try d.performAndWait { context in
            let owner = try context.insert("Owner", ["name": "o"])
            _ = try context.insert("Owner", ["name": "x"])
            _ = try context.insert("Part", ["name": "p", "owner": owner])
            try context.save()
            context.reset()
        }
    }

    /// Inserts a member of the owner “o” in the other context, and saves.
    func insertElsewhere(_ entity: String) throws {
        try d.performAndWait { context in
            let owner = try context.only("Owner", where: "name == 'o'")
            _ = try context.insert(entity, ["name": "new", "owner": owner])
            try context.save()
            context.reset()
        }
    }

    static func name(_ object: ManagedObject) throws -> String {
        try object.value(forKey: "name") as? String ?? ""
    }

    /// Gives the only seat to the owner “x” in the other context, and saves.
    func seatElsewhere() throws {
        try d.performAndWait { d in
            let x = try d.only("Owner", where: "name == 'x'")
            try x.setValue(try d.only("Seat"), forKey: "seat")
            try d.save()
            d.reset()
        }
    }

    /// Returns what the store contains: each object with the names of what it refers to.
    func stored() throws -> [String] {
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            var lines: [String] = []
            for entity in ["Guard", "Loose", "Note", "Owner", "Part", "Seat"] {
                let found: [ManagedObject] = try context.fetch(FetchRequest(entity))
                for object in found {
                    let key = ["Owner": "seat", "Seat": "holder"][entity] ?? "owner"
                    let destination = try object.value(forKey: key) as? ManagedObject
                    let leadsTo = try destination.map(Self.name) ?? "-"
                    lines.append("\(entity) \(try Self.name(object)) \(leadsTo)")
                }
            }
            return lines.sorted()
        }
    }
}
