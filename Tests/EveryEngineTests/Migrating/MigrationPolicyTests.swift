import Cairn
import CairnTestSupport
import Foundation
import GraphSupport
import MigrationSupport
import Testing

/// What policies may do with the migration manager.
@Suite struct `Migration policies` {
    private let old = [
        EntityDescription(
            "Person", [.attribute("name", .string), .toOne("friend", "Person")])
    ]
    private let new = [
        EntityDescription(
            "Member",
            [
                .attribute("name", .string), .attribute("number", .integer64),
                .toOne("friend", "Member"),
            ])
    ]

    private func trial(
        _ type: StoreType, _ policy: EntityMigrationPolicy.Type
    ) throws -> (trial: MigrationTrial, manager: MigrationManager) {
        let trial = try MigrationTrial(type, from: old, to: new)
        var history = ModelHistory(
            versions: [.init(name: "1", model: trial.old), .init(name: "2", model: trial.new)])
        history.add(
            MappingModel([
                EntityMapping(
                    "Members", from: "Person", to: "Member",
                    attributes: [
                        PropertyMapping("name", try FetchExpression(format: "$source.name"))
                    ], policy: "Policy")
            ]), named: "Members", from: trial.old, to: trial.new)
        history.register(policy, as: "Policy")
        let coordinator = PersistentStoreCoordinator(managedObjectModel: trial.old)
        let store = try coordinator.addPersistentStore(ofType: type, at: trial.url)
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            var last: ManagedObject?
            for number in 1...300 {
                let person = try context.insertNewObject(forEntityName: "Person")
                try person.setValue("P\(number)", forKey: "name")
                try person.setValue(last, forKey: "friend")
                last = person
            }
            try context.save()
        }
        try coordinator.remove(store)
        return (trial, MigrationManager(destinationModel: trial.new, history: history))
    }

    @Test(arguments: everyFileEngine)
    func `associate objects in any order`(_ type: StoreType) throws {
        let (trial, manager) = try trial(type, LatePolicy.self)

        try manager.migrateStore(at: trial.url, ofType: type)

        let image = try trial.image()
        #expect(image.objects.count == 300)
        for object in image.objects.values {
            guard case .string(let name)? = object.values["name"],
                let number = Int64(name.dropFirst())
            else {
                Issue.record("an object has no name: \(object)")
                continue
            }
            let friend = object.toOnes["friend"].flatMap { image.objects[$0] }
            #expect(object.values["number"] == .integer(number))
            #expect(friend?.values["name"] == (number > 1 ? .string("P\(number - 1)") : nil))
        }
    }

    /// Associates the objects in reverse order when all of them exist, and finds them from both sides later.
    private final class LatePolicy: EntityMigrationPolicy {
        private var made: [(source: ManagedObject, object: ManagedObject)] = []

        override func createDestinationInstances(
            forSource source: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
        ) throws {
            let object = try manager.destinationContext.insertNewObject(forEntityName: "Member")
            try object.setValue(source.value(forKey: "name"), forKey: "name")
            made.append((source, object))
        }

        override func endInstanceCreation(
            forMapping mapping: EntityMapping, manager: MigrationManager
        ) throws {
            for (source, object) in made.reversed() {
                manager.associate(
                    sourceInstance: source, withDestinationInstance: object, for: mapping)
            }
        }

        override func performCustomValidation(
            forMapping mapping: EntityMapping, manager: MigrationManager
        ) throws {
            for (source, object) in made {
                let found = manager.sourceInstances(
                    forEntityMappingName: mapping.name, destinationInstances: [object])
                #expect(found == [source])
                let friend = try source.value(forKey: "friend") as? ManagedObject
                let friends = manager.destinationInstances(
                    forEntityMappingName: mapping.name,
                    sourceInstances: friend.map { [$0] } ?? [])
                try object.setValue(friends.first, forKey: "friend")
                try object.setValue(source.objectID.key, forKey: "number")
            }
        }
    }

    @Test(arguments: everyFileEngine)
    func `may change objects to the end`(_ type: StoreType) throws {
        let (trial, manager) = try trial(type, SummingPolicy.self)

        try manager.migrateStore(at: trial.url, ofType: type)

        let image = try trial.image()
        let last = image.objects.max { $0.key < $1.key }
        #expect(image.objects.count == 301)
        #expect(last?.value.values["number"] == .integer(300))
    }

    /// Inserts an object when all others are complete.
    private final class SummingPolicy: EntityMigrationPolicy {
        override func end(_ mapping: EntityMapping, manager: MigrationManager) throws {
            let context = manager.destinationContext
            let count = try context.count(for: FetchRequest<ManagedObject>("Member"))
            let object = try context.insertNewObject(forEntityName: "Member")
            try object.setValue(count, forKey: "number")
        }
    }
}
