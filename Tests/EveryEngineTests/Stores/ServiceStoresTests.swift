import Cairn
import Foundation
import ServedStoreSupport
import Testing

/// How a coordinator handles the addresses of stores that are not files.
///
/// The tests run on one engine, whose stores are provided by a service. They are in this target because they
/// also need the built-in engines, and the coordinator's functions for files.
@Suite struct `Stores of a service` {
    private let coordinator: PersistentStoreCoordinator
    private let harness = ServedHarness()
    private let folder = URL(fileURLWithPath: "/cairn-service-\(UUID().uuidString)")

    init() throws {
        var registry = StoreRegistry.builtIn
        registry.register(ServedStore.self)
        coordinator = PersistentStoreCoordinator(
            managedObjectModel: try ManagedObjectModel([
                EntityDescription("Song", [.attribute("title", .string)])
            ]), registry: registry)
    }

    private func url(
        password: String? = ServedStore.password, query: String? = nil
    ) throws -> URL {
        try #require(
            ServedHarness.url(
                "\(folder.lastPathComponent)/songs", password: password, query: query))
    }

    private func add(_ url: URL?, _ type: StoreType = ServedStore.type) throws -> StoreLocation {
        try coordinator.addPersistentStore(ofType: type, at: url).request.location
    }

    /// Returns every textual form of the error with which adding a store fails.
    private func refusal(_ url: URL?, _ type: StoreType = ServedStore.type) -> String {
        do {
            return "no error: \(try add(url, type))"
        } catch {
            var text = "\(error) \(String(reflecting: error)) \(error.localizedDescription) "
            dump(error, to: &text)
            return text
        }
    }

    @Test func `are added by their address, and keep what was saved`() throws {
        try harness.setUp(for: folder)
        defer { try? harness.tearDown(for: folder) }
        let location = try add(try url())
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            try context.insert("Song").setValue("dawn", forKey: "title")
            try context.save()
        }
        try coordinator.remove(try #require(coordinator.persistentStores.first))

        #expect(try add(try url(query: "timeout=5")) == location)

        let count = try ContextHandle(coordinator: coordinator).performAndWait { context in
            try context.count(for: FetchRequest<ManagedObject>("Song"))
        }
        #expect(count == 1)
    }

    @Test func `are added only once, whatever the password`() throws {
        try harness.setUp(for: folder)
        defer { try? harness.tearDown(for: folder) }
        _ = try add(try url())

        let again = refusal(try url(password: "other"))

        #expect(again.contains("storeAlreadyAdded"))
        #expect(coordinator.persistentStore(for: try url(password: nil)) != nil)
        #expect(coordinator.persistentStore(for: try url())?.url == nil)
    }

    @Test func `do not show their password in errors`() throws {
        let refusals = [
            (refusal(try url(password: "hush")), "connect"),
            (refusal(try url(password: "hush", query: "key=hush"), "SQLite"), "served"),
            (refusal(URL(string: "served:kit:hush@localhost")), "storeNeedsServiceURL"),
        ]

        for (text, words) in refusals {
            #expect(text.contains(words))
            #expect(!text.contains("hush"))
        }
        let memory = try add(try url(password: "hush"), "InMemory")
        #expect(!"\(memory)".contains("hush"))
    }

    @Test func `do not show their password in descriptions, nor in errors with a description`()
        throws
    {
        let description = PersistentStoreDescription(
            type: ServedStore.type, url: try url(password: "hush", query: "key=hush"))
        let failure = GraphError.loading([
            StoreLoadingFailure(description: description, reason: .unknownStore("songs"))
        ])

        for value in [description as Any, failure] {
            var text = "\(value) \(String(reflecting: value)) "
            dump(value, to: &text)
            #expect(text.contains("kit@localhost"))
            #expect(!text.contains("hush"))
        }
        #expect(description.url?.password == "hush")
    }

    @Test func `need an address`() throws {
        for url in [nil, URL(fileURLWithPath: "/tmp/songs"), URL(string: "songs")] {
            #expect(refusal(url).contains("storeNeedsServiceURL"))
        }
        #expect(
            refusal(try url(), "SQLite").contains(
                "needs the URL of a file, not a URL of the form “served:”"))
    }

    @Test func `have no files to move, remove, replace or inspect`() throws {
        let (old, new) = (folder, URL(fileURLWithPath: "/new"))
        let type = ServedStore.type
        let address = try url()
        let service = try #require(ServiceLocation(address))

        let moving = error {
            try coordinator.movePersistentStore(at: old, to: new, ofType: type)
        }
        let replacing = error {
            try coordinator.replacePersistentStore(
                at: new, withPersistentStoreFrom: old, type: type)
        }
        let removing = error { try coordinator.destroyPersistentStore(at: old, ofType: type) }
        let looking = error {
            _ = try PersistentStoreCoordinator.metadataForPersistentStore(
                ofType: type, at: old, registry: coordinator.registry)
        }
        #expect(try coordinator.registry.type(ofStoreAt: .service(service)) == type)
        let unknown = try #require(URL(string: "nobody://host/x").flatMap(ServiceLocation.init))
        let guessing = error {
            _ = try coordinator.registry.type(ofStoreAt: .service(unknown))
        }

        for found in [moving, replacing] {
            guard case GraphError.storesAreNotFiles(type)? = found else {
                Issue.record("\(found as Any)")
                continue
            }
        }
        for found in [removing, looking] {
            guard case GraphError.store(.unsupported(let location, _, let advice))? = found else {
                Issue.record("\(found as Any)")
                continue
            }
            #expect(location == .file(old) && !advice.isEmpty)
        }
        guard case StoreError.unsupported(.service, _, _)? = guessing else {
            Issue.record("\(guessing as Any)")
            return
        }
    }

    private func error(_ body: () throws -> Void) -> (any Error)? {
        do {
            try body()
            return nil
        } catch {
            return error
        }
    }
}
