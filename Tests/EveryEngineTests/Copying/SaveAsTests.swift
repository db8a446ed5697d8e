import Cairn
import CairnTestSupport
import Foundation
import GraphSupport
import Synchronization
import Testing

/// Contexts whose store is moved while they have objects and unsaved changes.
@Suite(.timeLimit(.minutes(5))) struct `Moving a store below its contexts` {
    private static let routes = everyEngine.flatMap { from in
        [
            from,
            everyEngine[(everyEngine.firstIndex(of: from).map { $0 + 1 } ?? 0) % everyEngine.count],
        ]
        .map { CopyingFixture.Route(from: from, to: $0) }
    }
    private static let large = Data(repeating: 7, count: 400_000)

    private let folder: TemporaryFolder
    private let coordinator: PersistentStoreCoordinator

    init() throws {
        folder = try TemporaryFolder()
        var photo = AttributeDescription("photo", .binary)
        photo.allowsExternalBinaryDataStorage = true
        coordinator = PersistentStoreCoordinator(
            managedObjectModel: try ManagedObjectModel([
                EntityDescription(
                    "Owner",
                    [
                        .attribute("name", .string), .attribute(photo),
                        .toMany("parts", "Part", inverse: "owner", deleteRule: .cascade),
                        .toMany("friends", "Owner", inverse: "friends"),
                    ]),
                EntityDescription(
                    "Part",
                    [.attribute("name", .string), .toOne("owner", "Owner", inverse: "parts")]),
            ]))
    }

    /// Adds a store with the owners o and x, each with a photo, and the parts o0 to o3 and x0 to x3.
    private func fill(_ type: StoreType) throws -> any PersistentStore {
        let store = try coordinator.addPersistentStore(ofType: type, at: url("first", type))
        try inContext { context in
            let owners = try ["o", "x"].map { name in
                let owner = try insert("Owner", name, context)
                try owner.setValue(Self.large, forKey: "photo")
                for number in 0..<4 {
                    try insert("Part", "\(name)\(number)", context).setValue(owner, forKey: "owner")
                }
                return owner
            }
            try owners[0].setValue(Set([owners[1]]), forKey: "friends")
            try context.save()
        }
        return store
    }

    private func url(_ name: String, _ type: StoreType) -> URL? {
        folder.url(of: type, name)
    }

    @discardableResult
    private func move(
        _ store: any PersistentStore, to type: StoreType, _ name: String = "second"
    ) throws -> any PersistentStore {
        try coordinator.migratePersistentStore(store, to: url(name, type), type: type)
    }

    @discardableResult
    private func inContext<Result: Sendable>(
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) throws -> Result {
        try ContextHandle(coordinator: coordinator).performAndWait(body)
    }

    @discardableResult
    private func insert(
        _ entity: String, _ name: String, _ context: ManagedObjectContext
    ) throws -> ManagedObject {
        let object = try context.insertNewObject(forEntityName: entity)
        try object.setValue(name, forKey: "name")
        return object
    }

    private func find(_ name: String, _ context: ManagedObjectContext) throws -> ManagedObject {
        let entity = name.count == 1 ? "Owner" : "Part"
        let request = try FetchRequest<ManagedObject>(entity, where: "name == \"\(name)\"")
        return try #require(try context.fetch(request).first)
    }

    private func name(_ object: ManagedObject?) throws -> String? {
        try object?.value(forKey: "name") as? String
    }

    /// The names of the parts with the names of their owners, sorted, as the stores contain them.
    private func parts() throws -> [String] {
        try inContext { context in
            try context.fetch(FetchRequest<ManagedObject>("Part")).map { part in
                let owner = try part.value(forKey: "owner") as? ManagedObject
                return "\(try name(part) ?? "")-\(try name(owner) ?? "")"
            }.sorted()
        }
    }

    // MARK: Unsaved changes

    /// Changes, deletes, inserts and moves parts.
    private func change(_ context: ManagedObjectContext) throws {
        let (o, x) = (try find("o", context), try find("x", context))
        try find("o0", context).setValue("changed", forKey: "name")
        try context.delete(find("o1", context))
        try find("o2", context).setValue(x, forKey: "owner")
        try insert("Part", "new", context).setValue(o, forKey: "owner")
        try x.setValue("y", forKey: "name")
    }

    private static let changed = [
        "changed-o", "new-o", "o2-y", "o3-o", "x0-y", "x1-y", "x2-y", "x3-y",
    ]

    @Test(arguments: routes)
    func `saves unsaved changes to the new store`(_ route: CopyingFixture.Route) throws {
        let store = try fill(route.from)

        let new = try inContext { context in
            try change(context)
            let new = try move(store, to: route.to)
            try context.save()
            return new
        }
        let friends = try inContext { context in
            let friends =
                try find("o", context).value(forKey: "friends") as? ObjectSet<ManagedObject>
            return try friends?.map { try name($0) }
        }

        #expect(try parts() == Self.changed)
        #expect(friends == ["y"])
        try coordinator.remove(new)
        if route.to != .inMemory {
            try coordinator.addPersistentStore(ofType: route.to, at: url("second", route.to))
            #expect(try parts() == Self.changed)
        }
    }

    @Test(arguments: routes)
    func `leaves the old store as it was`(_ route: CopyingFixture.Route) throws {
        guard route.from != .inMemory else { return }
        let store = try fill(route.from)
        let before = try parts()
        let new = try inContext { context in
            try change(context)
            let new = try move(store, to: route.to)
            try context.save()
            return new
        }

        let old = try coordinator.addPersistentStore(
            ofType: route.from, at: url("first", route.from))
        let isApart = old.number != new.number
        try coordinator.remove(new)

        #expect(isApart)
        #expect(try parts() == before)
    }

    @Test(arguments: routes)
    func `saves the changes of children, in two levels`(_ route: CopyingFixture.Route) throws {
        let store = try fill(route.from)
        let parent = ContextHandle(coordinator: coordinator)
        let child = ContextHandle(parent: parent)
        let grandchild = ContextHandle(parent: child)

        try grandchild.performAndWait { context in
            let kept = try (find("o3", context), find("x", context))
            _ = try kept.1.value(forKey: "parts")
            try change(context)
            try move(store, to: route.to)
            try context.save()
            #expect(try name(kept.0) == "o3")
        }
        try child.performAndWait { try $0.save() }
        try parent.performAndWait { try $0.save() }

        #expect(try parts() == Self.changed)
    }

    @Test(arguments: routes)
    func `keeps undo, and objects whose deletion is undone`(_ route: CopyingFixture.Route) throws {
        let store = try fill(route.from)

        try inContext { context in
            context.undoManager = UndoManager()
            let owner = try find("x", context)
            try context.delete(owner)
            context.processPendingChanges()
            try move(store, to: route.to)
            context.undoManager?.undo()
            try context.save()
        }

        #expect(try parts().count == 8)
        #expect(try inContext { try find("x", $0).value(forKey: "photo") as? Data } == Self.large)
    }

    @Test(arguments: routes)
    func `accepts objects that have permanent IDs already`(_ route: CopyingFixture.Route) throws {
        let store = try fill(route.from)

        let ids = try inContext { context in
            let early = try (0..<3).map { try insert("Part", "early\($0)", context) }
            try context.obtainPermanentIDs(for: early)
            let ids = early.map(\.objectID)
            try move(store, to: route.to)
            try inContext { other in
                for number in 0..<3 { try insert("Part", "late\(number)", other) }
                try other.save()
            }
            try context.save()
            #expect(early.map(\.objectID) == ids)
            return ids
        }

        let names = try inContext { context in
            try ids.map { try name(try context.existingObject(with: $0)) }
        }
        #expect(names == ["early0", "early1", "early2"])
        #expect(try parts().count == 14)
    }

    // MARK: Objects without changes

    @Test(arguments: routes)
    func `keeps objects, faults and IDs alive`(_ route: CopyingFixture.Route) throws {
        let store = try fill(route.from)

        try inContext { context in
            let read = try find("o", context)
            let part = try find("o3", context)
            let fault = try context.object(with: find("x", context).objectID)
            try context.refresh(fault, mergeChanges: false)
            let id = try find("x3", context).objectID
            let new = try move(store, to: route.to)

            #expect(try name(read) == "o" && name(fault) == "x")
            #expect((try part.value(forKey: "owner") as? ManagedObject) === read)
            #expect((try read.value(forKey: "parts") as? ObjectSet<ManagedObject>)?.count == 4)
            #expect(try name(try context.existingObject(with: id)) == "x3")
            #expect(try find("o", context) === read)
            #expect(coordinator.persistentStore(of: id) === new)
            let uri = id.uriRepresentation()
            #expect(uri.host == (try new.metadata().identifier))
            #expect(coordinator.managedObjectID(forURIRepresentation: uri) == id)
            #expect(!context.hasChanges)
        }
    }

    @Test(arguments: routes)
    func `keeps large values, of changed objects, too`(_ route: CopyingFixture.Route) throws {
        let store = try fill(route.from)

        let values = try inContext { context in
            let (o, x) = (try find("o", context), try find("x", context))
            _ = try (name(o), name(x))
            try o.setValue("p", forKey: "name")
            try move(store, to: route.to)
            let values = try [o, x].map { try $0.value(forKey: "photo") as? Data }
            try context.save()
            return values
        }
        let saved = try inContext { context in
            try ["p", "x"].map { try find($0, context).value(forKey: "photo") as? Data }
        }

        #expect(values == [Self.large, Self.large])
        #expect(saved == [Self.large, Self.large])
    }

    @Test(arguments: routes)
    func `keeps results that are fetched in batches`(_ route: CopyingFixture.Route) throws {
        let store = try fill(route.from)

        let names = try inContext { context in
            var request = FetchRequest<ManagedObject>("Part")
            request.fetchBatchSize = 2
            let results = try context.fetch(request)
            _ = results.first
            try move(store, to: route.to)
            return try results.map { try name($0) ?? "" }
        }

        #expect(names.count == 8 && !names.contains(""))
    }

    @Test(
        arguments: routes.filter { route in
            [route.from, route.to].allSatisfy { type in
                (try? StoreRegistry.builtIn.engine(ofType: type).capabilities.readsDuringSave)
                    == true
            }
        })
    func `lets pinned contexts read the state that was moved`(_ route: CopyingFixture.Route) throws
    {
        let store = try fill(route.from)

        try ContextHandle(coordinator: coordinator).performAndWait { context in
            try context.setQueryGeneration(from: .current)
            let read = try find("o", context)
            let fault = try find("x", context)
            try context.refresh(fault, mergeChanges: false)
            try move(store, to: route.to)
            try inContext { other in
                try find("x", other).setValue("z", forKey: "name")
                try find("x0", other).setValue("z0", forKey: "name")
                try other.save()
            }
            let pinned = try (name(read), name(fault), name(find("x0", context)))
            try context.setQueryGeneration(from: nil)
            try context.refreshAllObjects()

            #expect(pinned == ("o", "x", "x0"))
            #expect(try name(fault) == "z")
        }
    }

    // MARK: The move itself

    @Test(arguments: everyEngine)
    func `that is cancelled changes nothing`(_ type: StoreType) throws {
        let store = try fill(type)

        try inContext { context in
            try change(context)
            let id = try find("o3", context).objectID
            let uri = id.uriRepresentation()
            #expect(throws: GraphError.self) {
                try coordinator.migratePersistentStore(
                    store, to: url("second", .sqlite), type: .sqlite
                ) { _ in .cancel }
            }
            #expect(id.uriRepresentation() == uri)
            #expect(coordinator.managedObjectID(forURIRepresentation: uri) == id)
            try context.save()
            try move(store, to: .sqlite)
        }

        #expect(try parts() == Self.changed)
    }

    @Test(arguments: everyFileEngine)
    func `leaves another coordinator the old store, and the URIs that it gives`(
        _ type: StoreType
    ) throws {
        let store = try fill(type)
        let other = PersistentStoreCoordinator(managedObjectModel: coordinator.managedObjectModel)
        try other.addPersistentStore(ofType: type, at: url("first", type))
        let handle = ContextHandle(coordinator: other)
        func uri() throws -> (id: ObjectID, uri: URL) {
            try handle.performAndWait { context in
                let id = try find("o", context).objectID
                return (id, id.uriRepresentation())
            }
        }
        let before = try uri()

        try move(store, to: type)

        let after = try uri()
        #expect(other.managedObjectID(forURIRepresentation: before.uri) == before.id)
        #expect(other.managedObjectID(forURIRepresentation: after.uri) == after.id)
        try handle.performAndWait { context in
            try insert("Part", "mine", context).setValue(find("o", context), forKey: "owner")
            try context.save()
        }
        #expect(try parts().count == 8)
    }

    @Test(arguments: everyEngine)
    func `can be repeated, and lead back`(_ type: StoreType) throws {
        let first = try fill(type)

        let last = try inContext { context in
            let owner = try find("o", context)
            var store = first
            for number in 0..<4 {
                try insert("Part", "n\(number)", context).setValue(owner, forKey: "owner")
                store = try move(store, to: number.isMultiple(of: 2) ? .lmdb : type, "s\(number)")
                if number == 2 { try context.save() }
            }
            try context.save()
            return store
        }

        #expect(try parts().count == 12)
        #expect(coordinator.persistentStores.map(\.number) == [last.number])
    }

    /// No save may be lost in the old store, and none may fail.
    @Test(arguments: [StoreType.sqlite, .lmdb, .inMemory, .binary])
    func `lets other contexts save meanwhile`(_ type: StoreType) throws {
        let store = Mutex(try fill(type))
        let failures = Mutex<[String]>([])

        DispatchQueue.concurrentPerform(iterations: 3) { index in
            do {
                if index == 0 {
                    for number in 0..<5 {
                        let old = store.withLock { $0 }
                        let new = try move(old, to: type, "m\(number)")
                        store.withLock { $0 = new }
                    }
                } else {
                    try ContextHandle(coordinator: coordinator).performAndWait { context in
                        for number in 0..<40 {
                            try insert("Part", "s\(index)-\(number)", context)
                                .setValue(find("o", context), forKey: "owner")
                            try context.save()
                        }
                    }
                }
            } catch {
                failures.withLock { $0.append("\(error)") }
            }
        }

        #expect(failures.withLock { $0 } == [])
        #expect(try parts().count == 88)
    }
}
