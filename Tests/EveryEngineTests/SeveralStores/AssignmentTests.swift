import Cairn
import CairnTestSupport
import Foundation
import GraphSupport
import Testing

/// The store into which a new object is saved, and the error if there is no such store.
@Suite struct `A new object` {
    private let folder: TemporaryFolder
    private static let engines: [(StoreType, StoreType)] = [
        ("SQLite", "LMDB"), ("LMDB", "XML"), ("Binary", "SQLite"), ("XML", "Binary"),
    ]

    init() throws { folder = try TemporaryFolder() }

    private func model(_ entities: [String], _ configurations: [String: [String]] = [:]) throws
        -> ManagedObjectModel
    {
        var description = ModelDescription(
            entities.map { EntityDescription($0, [.attribute("name", .string)]) })
        description.configurations = configurations
        return try ManagedObjectModel(description)
    }

    private func coordinator(_ model: ManagedObjectModel) -> PersistentStoreCoordinator {
        PersistentStoreCoordinator(managedObjectModel: model)
    }

    /// Saves an object of the entity. Returns the store that contains it, or the error.
    private func save(
        _ entity: String, _ coordinator: PersistentStoreCoordinator,
        to store: (any PersistentStore)? = nil
    ) throws -> (StoreNumber?, GraphError?) {
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            let object = try context.insertNewObject(forEntityName: entity)
            let error = try graphError {
                if let store { try context.assign(object, to: store) }
                try context.save()
            }
            return (error == nil ? object.objectID.store : nil, error)
        }
    }

    @Test(arguments: engines)
    func `goes to the first store that accepts it, in the order in which stores were added`(
        _ types: (StoreType, StoreType)
    ) throws {
        let coordinator = coordinator(
            try model(["A", "B", "C"], ["ab": ["A", "B"], "bc": ["B", "C"]]))
        let first = try coordinator.addPersistentStore(
            ofType: types.0, configurationName: "ab", at: folder.file("1"))
        let second = try coordinator.addPersistentStore(
            ofType: types.1, configurationName: "bc", at: folder.file("2"))

        let numbers = try ["A", "B", "C"].map { try save($0, coordinator).0 }
        let assigned = try save("B", coordinator, to: second).0

        #expect(numbers == [first.number, first.number, second.number])
        #expect(assigned == second.number)
    }

    @Test(arguments: engines)
    func `skips a read-only store, and is refused if there is no other`(
        _ types: (StoreType, StoreType)
    ) throws {
        let model = try model(["A"])
        let writer = coordinator(model)
        try writer.addPersistentStore(ofType: types.0, at: folder.file("1"))
        _ = try save("A", writer)
        try writer.remove(writer.persistentStores[0])
        let coordinator = coordinator(model)
        let shipped = try coordinator.addPersistentStore(
            ofType: types.0, at: folder.file("1"), options: [.readOnly: true])
        let alone = try save("A", coordinator).1
        let own = try coordinator.addPersistentStore(ofType: types.1, at: folder.file("2"))

        let number = try save("A", coordinator).0
        let refusal = try save("A", coordinator, to: shipped).1
        let change = try ContextHandle(coordinator: coordinator).performAndWait { context in
            for object in try context.fetch(FetchRequest<ManagedObject>("A")) {
                try object.setValue("changed", forKey: "name")
            }
            return try graphError { try context.save() }
        }

        #expect(number == own.number)
        for error in [alone, refusal, change] {
            guard case .store(.readOnly(shipped.request.location))? = error else {
                Issue.record("not refused as read-only: \(error as Any)")
                continue
            }
        }
        let names = try ContextHandle(coordinator: coordinator).performAndWait { context in
            try context.fetch(FetchRequest<ManagedObject>("A")).map {
                try $0.value(forKey: "name") as? String
            }
        }
        #expect(names == [nil, nil])
    }

    @Test(arguments: engines)
    func `is refused by name if it is assigned to a store that cannot take it`(
        _ types: (StoreType, StoreType)
    ) throws {
        let model = try model(["A", "B"], ["a": ["A"], "b": ["B"]])
        let coordinator = coordinator(model)
        let a = try coordinator.addPersistentStore(
            ofType: types.0, configurationName: "a", at: folder.file("1"))
        let stranger = self.coordinator(model)
        let strange = try stranger.addPersistentStore(ofType: types.1, at: folder.file("2"))

        let wrongEntity = try save("B", coordinator, to: a).1
        let wrongCoordinator = try save("A", coordinator, to: strange).1
        let none = try save("B", coordinator).1
        let saved = try ContextHandle(coordinator: coordinator).performAndWait { context in
            let object = try context.insertNewObject(forEntityName: "A")
            try context.obtainPermanentIDs(for: [object])
            return try graphError { try context.assign(object, to: a) }
        }

        guard case .entityNotTaken("B", a.request.location, .notInConfiguration("a"))? = wrongEntity
        else {
            Issue.record("\(wrongEntity as Any)")
            return
        }
        guard case .unknownStore(let name)? = wrongCoordinator else {
            Issue.record("\(wrongCoordinator as Any)")
            return
        }
        #expect(name == "\(strange.request.location)")
        guard case .noStore("B", hasStores: true)? = none else {
            Issue.record("\(none as Any)")
            return
        }
        guard case .storeIsFixed? = saved else {
            Issue.record("\(saved as Any)")
            return
        }
    }

    @Test(arguments: engines)
    func `of an entity that was added to the model later goes to a store that has it`(
        _ types: (StoreType, StoreType)
    ) throws {
        let former = coordinator(try model(["A"]))
        try former.addPersistentStore(ofType: types.0, at: folder.file("1"))
        _ = try save("A", former)
        try former.remove(former.persistentStores[0])
        let coordinator = coordinator(try model(["A", "B"]))
        let old = try coordinator.addPersistentStore(ofType: types.0, at: folder.file("1"))
        let isWrittenAsAWhole = everyWholeFileEngine.contains(types.0)

        let alone = try save("B", coordinator)
        let new = try coordinator.addPersistentStore(ofType: types.1, at: folder.file("2"))
        let number = try save("B", coordinator).0
        let assigned = try save("B", coordinator, to: old).1

        if isWrittenAsAWhole {
            #expect(alone.0 == old.number)
            #expect(number == old.number)
            #expect(assigned == nil)
        } else {
            for error in [alone.1, assigned] {
                guard
                    case .entityNotTaken("B", old.request.location, .addedToModelLater)? = error
                else {
                    Issue.record("\(error as Any)")
                    continue
                }
            }
            #expect(number == new.number)
        }
        #expect(try save("A", coordinator).0 == old.number)
    }

    @Test(arguments: everyFileEngine, [false, true])
    func `cannot go to a foreign store, which is refused and unchanged`(
        _ type: StoreType, _ migrates: Bool
    ) throws {
        let foreign = coordinator(try model(["X", "Y"]))
        try foreign.addPersistentStore(ofType: type, at: folder.file("1"))
        _ = try save("X", foreign)
        try foreign.remove(foreign.persistentStores[0])
        let options: StoreOptions =
            migrates ? [.migratesAutomatically: true, .infersMappingModel: true] : [:]

        let mine = coordinator(try model(["A", "B"]))
        let error = try graphError {
            try mine.addPersistentStore(ofType: type, at: folder.file("1"), options: options)
        }
        let again = coordinator(try model(["X", "Y"]))
        try again.addPersistentStore(ofType: type, at: folder.file("1"))

        guard case .store(.modelMismatch(_, let differences))? = error else {
            Issue.record("\(error as Any)")
            return
        }
        #expect(Set(differences.map(\.entity)) == ["A", "B", "X", "Y"])
        #expect(differences.allSatisfy { $0.stored == nil || $0.model == nil })
        let count = try ContextHandle(coordinator: again).performAndWait {
            try $0.count(for: FetchRequest<ManagedObject>("X"))
        }
        #expect(count == 1)
    }
}
