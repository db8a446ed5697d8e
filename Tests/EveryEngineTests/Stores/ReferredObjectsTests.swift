import Cairn
import CairnTestSupport
import Foundation
import ServedStoreSupport
import Testing

/// Objects that their store identifies by text and UUIDs, used through the graph.
///
/// They run on one engine, because no built-in engine identifies objects by references. They are in this
/// target because such stores are also copied to built-in engines.
@Suite final class `Objects with references`: Sendable {
    private let harness = ServedHarness(ReferredStore.self)
    private let folder = URL(fileURLWithPath: "/cairn-referred-\(UUID().uuidString)")
    private let stack: ReferredStack

    init() throws {
        try harness.setUp(for: folder)
        stack = try ReferredStack("\(folder.lastPathComponent)/songs")
    }

    deinit { try? harness.tearDown(for: folder) }

    /// Returns a stack for the same store that numbers the objects differently.
    private func mirror() throws -> ReferredStack {
        try ReferredStack("\(folder.lastPathComponent)/songs", host: "mirror")
    }

    private func titles(_ uris: [URL], _ stack: ReferredStack) throws -> [String] {
        try stack.inContext { context in
            try uris.map { try context.object(with: try stack.id($0)).title() }
        }
    }

    @Test func `have their references in their URIs`() throws {
        let uris = try stack.fill()
        let identifier = try stack.store.metadata().identifier

        for (uri, entity) in zip(uris, ["Album", "Song", "Song", "Song", "Tag", "Tag"]) {
            let key = uri.lastPathComponent.dropFirst()
            #expect(uri.absoluteString == "x-coredata://\(identifier)/\(entity)/p\(key)")
            #expect(UUID(uuidString: String(key)) != nil)
        }
        #expect(Set(uris).count == 6)
    }

    @Test func `are found by URIs if their numbers differ`() throws {
        let uris = try stack.fill()
        let mirror = try mirror()

        let found = try titles(uris.reversed(), mirror)

        #expect(found == ["y", "x", "c", "b", "a", "Agætis byrjun"])
        for uri in uris {
            let (here, there) = (try stack.id(uri), try mirror.id(uri))
            #expect(here.key != there.key)
            #expect(there.uriRepresentation() == uri)
            #expect(
                stack.store.referenceObject(for: here) == mirror.store.referenceObject(for: there))
        }
    }

    @Test func `have the same IDs in another coordinator, and when it is opened again`() throws {
        let uris = try stack.fill()
        let ids = try uris.map(stack.id)
        let other = try ReferredStack("\(folder.lastPathComponent)/songs")
        try stack.coordinator.remove(stack.store)

        #expect(try uris.map(other.id) == ids)
        let titles = try other.inContext { context in
            try ids.map { try context.object(with: $0).title() }
        }
        #expect(titles == ["Agætis byrjun", "a", "b", "c", "x", "y"])
        #expect(stack.coordinator.managedObjectID(forURIRepresentation: uris[0]) == nil)
    }

    @Test func `keep their relationships and their order if their numbers differ`() throws {
        let uris = try stack.fill()
        let mirror = try mirror()

        try mirror.inContext { context in
            let album = try context.object(with: try mirror.id(uris[0]))
            let song = try context.object(with: try mirror.id(uris[1]))

            let songs = try album.objects("songs").map { try $0.title() }
            let tags = try song.orderedObjects("tags").map { try $0.title() }

            #expect(songs.sorted() == ["a", "b", "c"])
            #expect(tags == ["x", "y"])
            #expect(try song.value(forKey: "album") as? ManagedObject === album)
        }
    }

    @Test func `are fetched by their IDs, and by the ID of a related object`() throws {
        let uris = try stack.fill()
        let mirror = try mirror()
        let ids = try [uris[3], uris[1]].map(mirror.id)

        let found = try mirror.inContext { context in
            var request = FetchRequest<ManagedObject>("Song")
            request.predicate = try FetchPredicate(format: "SELF IN %@", ids)
            return try context.fetch(request).map { try $0.title() }.sorted()
        }
        let related = try mirror.inContext { context in
            var request = FetchRequest<ManagedObject>("Song")
            request.predicate = try FetchPredicate(
                format: "album == %@", try mirror.id(uris[0]))
            return try context.fetchIDs(request)
        }

        #expect(found == ["a", "c"])
        #expect(Set(related) == Set(try uris[1...3].map(mirror.id)))
    }

    @Test func `are no longer found after they are deleted`() throws {
        let uris = try stack.fill()
        let mirror = try mirror()
        let id = try mirror.id(uris[2])

        try stack.inContext { context in
            try context.delete(try context.object(with: try self.stack.id(uris[2])))
            try context.save()
        }

        #expect(try mirror.songs() == ["a", "c"])
        try mirror.inContext { context in
            _ = #expect(throws: GraphError.self) { try context.existingObject(with: id) }
        }
        #expect(try mirror.id(uris[2]) == id)
    }

    @Test func `conflict with changes by clients with other numbers`() throws {
        let uris = try stack.fill()
        let mirror = try mirror()

        try mirror.inContext { context in
            let song = try context.object(with: try mirror.id(uris[1]))
            try song.setValue(7, forKey: "plays")
            try self.stack.inContext { other in
                try other.object(with: try self.stack.id(uris[1])).setValue(1, forKey: "plays")
                try other.save()
            }

            let conflict = #expect(throws: GraphError.self) { try context.save() }
            context.mergePolicy = .mergeByPropertyObjectTrump
            try context.save()

            #expect("\(conflict as Any)".contains("changed elsewhere"))
        }
        let plays = try stack.inContext { context in
            var request = FetchRequest<ManagedObject>("Song")
            request.predicate = try FetchPredicate(format: "title == 'a'")
            return try context.fetch(request).first?.value(forKey: "plays") as? Int64
        }
        #expect(plays == 7)
    }

    @Test func `conflict with unique values saved by clients with other numbers`() throws {
        _ = try stack.fill()
        let mirror = try mirror()

        try mirror.inContext { context in
            _ = try context.insert("Song", titled: "b")

            let conflict = #expect(throws: GraphError.self) { try context.save() }

            #expect("\(conflict as Any)".contains("Song"))
        }
        #expect(try stack.songs() == ["a", "b", "c"])
    }

    @Test func `have their references before they are saved, also in child contexts`() throws {
        let root = ContextHandle(coordinator: stack.coordinator)
        let child = ContextHandle(parent: root)
        let uri = try child.performAndWait { context in
            let song = try context.insert("Song", titled: "new")
            try context.obtainPermanentIDs(for: [song])
            let uri = song.objectID.uriRepresentation()
            try context.save()
            return uri
        }
        try root.performAndWait { try $0.save() }

        #expect(try titles([uri], try mirror()) == ["new"])
    }

    @Test func `are merged by the URIs of another process`() throws {
        let uris = try stack.fill()
        let mirror = try mirror()
        let reader = ContextHandle(coordinator: mirror.coordinator)
        try reader.performAndWait { context in
            context.retainsRegisteredObjects = true
            _ = try context.object(with: try mirror.id(uris[1])).title()
        }
        try stack.inContext { context in
            try context.object(with: try self.stack.id(uris[1])).setValue("z", forKey: "title")
            try context.save()
        }

        try ManagedObjectContext.mergeChanges(
            fromRemoteContextSave: ["updated_objectIDs": [uris[1]]], into: [reader])

        try reader.performAndWait { context in
            let song = context.registeredObject(for: try mirror.id(uris[1]))
            #expect(try song?.title() == "z")
        }
    }

    @Test func `are copied to another engine, with keys instead of references`() throws {
        let uris = try stack.fill()
        let files = try TemporaryFolder()

        let copy = try stack.coordinator.migratePersistentStore(
            stack.store, to: files.file("songs.sqlite"), type: .sqlite)

        #expect(try stack.songs() == ["a", "b", "c"])
        try stack.inContext { context in
            let songs = try context.fetch(FetchRequest<ManagedObject>("Song"))
            for song in songs {
                let album = try song.value(forKey: "album") as? ManagedObject
                #expect(try album?.title() == "Agætis byrjun")
                let id = song.objectID
                #expect(id.uriRepresentation().lastPathComponent == "p\(id.key)")
            }
            let first = try #require(try songs.first { try $0.title() == "a" })
            #expect(try first.orderedObjects("tags").map { try $0.title() } == ["x", "y"])
        }
        let id = try #require(try ids(of: "Song").first)
        #expect(copy.referenceObject(for: id) == .number(id.key))
        #expect(stack.coordinator.managedObjectID(forURIRepresentation: uris[1]) == nil)
    }

    private func ids(of entity: String) throws -> [ObjectID] {
        try stack.inContext { try $0.fetchIDs(FetchRequest<ManagedObject>(entity)) }
    }

    @Test(arguments: ["p", "pnot a UUID", "p12", "t12"])
    func `are not found by URIs of another kind`(text: String) throws {
        let identifier = try stack.store.metadata().identifier
        let text = text.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? ""
        let uri = try #require(URL(string: "x-coredata://\(identifier)/Album/\(text)"))

        #expect(stack.coordinator.managedObjectID(forURIRepresentation: uri) == nil)
    }
}
