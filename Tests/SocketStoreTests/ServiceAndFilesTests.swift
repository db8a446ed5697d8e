import Cairn
import CairnModel
import CairnStore
import CairnTestSupport
import Foundation
import SocketStoreSupport
import Testing

/// Saves over the store of a service, which has the songs, and two files, which have the notes and the drafts.
@Suite struct `A save over a service and files` {
    private let library: SongLibrary
    private let folder: TemporaryFolder
    private let model: ManagedObjectModel

    init() throws {
        library = try SongLibrary()
        folder = try TemporaryFolder()
        var description = ModelDescription(
            ["Song", "Note", "Draft"].map {
                EntityDescription($0, [.attribute("text", .string)])
            })
        description.configurations = ["Songs": ["Song"], "Notes": ["Note"], "Drafts": ["Draft"]]
        model = try ManagedObjectModel(description)
    }

    private func file(_ configuration: String) -> URL { folder.file("\(configuration).store") }

    /// Opens the stores.
    private func coordinator(
        _ configurations: [String] = ["Songs", "Notes", "Drafts"]
    ) throws -> PersistentStoreCoordinator {
        var registry = StoreRegistry.builtIn
        registry.register(SocketStore.self)
        let coordinator = PersistentStoreCoordinator(
            managedObjectModel: model, registry: registry)
        for name in configurations {
            let type: StoreType =
                name == "Songs" ? SocketStore.type : name == "Notes" ? .sqlite : .binary
            try coordinator.addPersistentStore(
                ofType: type, configurationName: name,
                at: name == "Songs" ? library.location().service?.urlWithPassword : file(name))
        }
        return coordinator
    }

    private func close(_ coordinator: PersistentStoreCoordinator) throws {
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }

    private func insert(
        _ names: [String] = ["Song", "Note", "Draft"], in coordinator: PersistentStoreCoordinator
    ) throws {
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            for name in names {
                try context.insertNewObject(forEntityName: name).setValue("new", forKey: "text")
            }
            try context.save()
        }
    }

    /// Returns the number of objects in each store.
    private func counts(
        _ coordinator: PersistentStoreCoordinator, of names: [String] = ["Song", "Note", "Draft"]
    ) throws -> [Int] {
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            try names.map { try context.count(for: FetchRequest<ManagedObject>($0)) }
        }
    }

    /// Returns the names of the files of unfinished saves.
    private func pendingFiles() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
            .filter { $0.contains("-pending") }
    }

    @Test func `is made to all of them, and leaves no journal`() throws {
        let coordinator = try coordinator()
        try insert(in: coordinator)
        try insert(["Song", "Note"], in: coordinator)

        #expect(try counts(coordinator) == [2, 2, 1])
        try close(coordinator)
        #expect(try counts(self.coordinator()) == [2, 2, 1])
        #expect(try pendingFiles() == [])
        try library.server.end()
    }

    @Test(arguments: MessageCut.ofSave)
    func `happens once, also if the connection to the service is cut`(_ cut: MessageCut) throws {
        let coordinator = try coordinator()
        let traffic = library.traffic
        // The names of saves in common are read before the service prepares its part.
        try insert(in: coordinator)
        traffic.startCounting()
        try insert(in: coordinator)
        let index = try #require(traffic.operations.firstIndex(of: cut.message))
        traffic.startCounting()
        traffic.cut(cut.cut, afterMessages: index)

        try insert(in: coordinator)

        #expect(!traffic.isCutPending)
        #expect(try counts(coordinator) == [3, 3, 3])
        #expect(try pendingFiles() == [])
        try library.server.end()
    }

    @Test(arguments: [SocketTraffic.Cut.beforeRequest, .beforeAnswer])
    func `is decided by the service when it answers again`(_ cut: SocketTraffic.Cut) throws {
        let coordinator = try coordinator()
        try insert(in: coordinator)
        library.traffic.startCounting()
        try insert(in: coordinator)
        let index = try #require(library.traffic.operations.firstIndex(of: .commit))
        library.traffic.startCounting()
        library.traffic.cut(cut, afterMessages: index, lasts: true)

        let error = #expect(throws: (any Error).self) { try insert(in: coordinator) }
        #expect(error is GraphError)
        // Without the service, nobody knows whether the save took place, so the files cannot be used.
        if cut == .beforeAnswer {
            #expect(try pendingFiles().count == 3)
            let refused = #expect(throws: GraphError.self) { try self.coordinator(["Notes"]) }
            guard case .store(.savePending)? = refused else {
                Issue.record("\(refused as Any)")
                return
            }
        }
        library.traffic.mend()

        let again = try self.coordinator(["Notes", "Drafts", "Songs"])
        let found = try counts(again)
        #expect(Set(found).count == 1)
        if cut == .beforeAnswer { #expect(found[0] == 3) }
        try insert(in: again)
        #expect(try counts(again) == found.map { $0 + 1 })
        #expect(try pendingFiles() == [])
        try library.server.end()
    }

    @Test func `is refused if two services take part`() throws {
        let other = try SongLibrary()
        let coordinator = try coordinator(["Songs", "Notes"])
        try coordinator.addPersistentStore(
            ofType: SocketStore.type, configurationName: "Drafts",
            at: other.location().service?.urlWithPassword)

        let error = #expect(throws: GraphError.self) { try insert(in: coordinator) }

        guard case .store(.unsupported)? = error else {
            Issue.record("\(error as Any)")
            return
        }
        #expect(try counts(coordinator) == [0, 0, 0])
        #expect(try pendingFiles() == [])
        try other.server.end()
        try library.server.end()
    }
}
