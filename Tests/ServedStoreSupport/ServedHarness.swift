import CairnConformance
import CairnStore
import Foundation

/// A harness that gives rules addresses of the service, and makes the service create and remove their stores.
package struct ServedHarness: StoreHarness {
    package var engine: any PersistentStore.Type { ServedStore.self }
    package var worker: WorkerExecutable? {
        .built("TestWorker", arguments: ["conform", ServedStore.type.rawValue])
    }

    package init() {}

    package func location(_ name: String, in folder: URL) -> StoreLocation {
        Self.url("\(folder.lastPathComponent)/\(name)").flatMap(ServiceLocation.init)
            .map(StoreLocation.service) ?? .memory(name)
    }

    /// Returns the address of a store of the service.
    ///
    /// - Parameters:
    ///   - path: The store's path at the service.
    ///   - host: Every host is the same service, so that a store has many addresses.
    ///   - password: The password, or `nil` to omit it.
    ///   - query: The query part of the address, or `nil`.
    package static func url(
        _ path: String, host: String = "localhost", password: String? = ServedStore.password,
        query: String? = nil
    ) -> URL? {
        var parts = URLComponents()
        parts.scheme = "served"
        parts.host = host
        parts.user = "kit"
        parts.password = password
        parts.path = "/" + path
        parts.query = query
        return parts.url
    }

    package func setUp(for folder: URL) throws {
        try FileManager.default.createDirectory(
            at: ServedStore.folder.appending(path: folder.lastPathComponent),
            withIntermediateDirectories: true)
    }

    package func tearDown(for folder: URL) throws {
        try FileManager.default.removeItem(
            at: ServedStore.folder.appending(path: folder.lastPathComponent))
    }
}
