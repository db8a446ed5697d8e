import CairnConformance
import CairnStore
import Foundation
import Synchronization

/// A harness that starts a separate server process for each rule and ends it after the rule.
package struct SocketHarness: StoreHarness {
    package var engine: any PersistentStore.Type { SocketStore.self }
    package var worker: WorkerExecutable? {
        .built("TestWorker", arguments: ["conform", SocketStore.type.rawValue])
    }

    /// The servers of the running rules, by folder.
    private static let servers = Mutex<[String: SocketServerProcess]>([:])

    package init() {}

    package func location(_ name: String, in folder: URL) -> StoreLocation {
        let path = SocketServerProcess.socketPath(in: Self.serverFolder(of: folder))
        return SocketAddress(socketPath: path, storeName: name).location ?? .memory(name)
    }

    package func setUp(for folder: URL) throws {
        let server = Self.serverFolder(of: folder)
        try Self.servers.withLock { $0[server.path] = try SocketServerProcess(in: server) }
    }

    package func tearDown(for folder: URL) throws {
        let path = Self.serverFolder(of: folder).path
        try Self.servers.withLock { try $0.removeValue(forKey: path)?.end() }
    }

    /// Returns a folder next to the rule's folder, because only stores that are files may leave files there.
    private static func serverFolder(of folder: URL) -> URL {
        folder.deletingLastPathComponent().appending(path: "\(folder.lastPathComponent)-socket")
    }
}
