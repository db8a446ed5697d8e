import Cairn
import CairnModel
import SocketStoreSupport
import Testing

@Suite struct `A read whose connection is cut` {
    private let library: SongLibrary
    private let coordinator: PersistentStoreCoordinator

    init() throws {
        library = try SongLibrary()
        try library.open().insertRelatedSongs(30)
        coordinator = try library.coordinator()
    }

    /// Fetches all songs with their singers. Returns the number of singers of each song.
    private static func fetch(_ context: ManagedObjectContext) throws -> [Int] {
        var request = FetchRequest<ManagedObject>("Song")
        request.relationshipKeyPathsForPrefetching = ["singers"]
        return try context.fetch(request).map { try $0.mutableSetValue(forKey: "singers").count }
    }

    @Test(arguments: MessageCut.ofRead)
    func `returns all objects or a transient error, and the next read returns all`(
        _ cut: MessageCut
    ) throws {
        let traffic = library.traffic

        let (first, second) = try ContextHandle(coordinator: coordinator).performAndWait {
            context in
            traffic.startCounting()
            traffic.cut(cut.cut, afterMessages: cut.index)
            let first = Result { try Self.fetch(context) }
            return (first, try Self.fetch(context))
        }

        #expect(!traffic.isCutPending)
        #expect(traffic.operations[cut.index] == cut.message)
        let ones = Array(repeating: 1, count: 30)
        #expect(second == ones)
        switch first {
        case .success(let counts): #expect(counts == ones)
        case .failure(GraphError.store(.engineFailure(let failure))): #expect(failure.isTransient)
        case .failure(let error): Issue.record(error)
        }
        try library.server.end()
    }

    @Test(arguments: SocketTraffic.Cut.allCases)
    func `succeeds unnoticed if the snapshot was kept from an earlier read`(
        _ cut: SocketTraffic.Cut
    ) throws {
        let traffic = library.traffic
        let store = try library.open()
        let ids = try [store.id(1), store.id(2)]

        let sent = try ContextHandle(coordinator: coordinator).performAndWait { context in
            _ = try context.object(with: ids[0]).value(forKey: "year")
            traffic.startCounting()
            traffic.cut(cut, afterMessages: 0)
            _ = try context.object(with: ids[1]).value(forKey: "year")
            return traffic.operations
        }

        #expect(!traffic.isCutPending)
        #expect(sent == [.rows, .open, .snapshot, .rows])
        try library.server.end()
    }
}
