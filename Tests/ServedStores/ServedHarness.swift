import CairnConformance
import CairnStore
import Foundation

/// Gives rules addresses with the service, and has it make and forget their stores.
package struct ServedHarness: StoreHarness {
    package var engine: any PersistentStore.Type { ServedStore.self }
    package var worker: WorkerExecutable? {
        .built("ConformanceTestWorker", arguments: ["Served"])
    }

    package init() {}

    package func location(_ name: String, in folder: URL) -> StoreLocation {
        Self.address("\(folder.lastPathComponent)/\(name)").map(StoreLocation.service)
            ?? .memory(name)
    }

    /// The address of a store of the service.
    ///
    /// - Parameter password: `nil` leaves it out.
    package static func url(
        _ path: String, password: String? = ServedStore.password, query: String? = nil
    ) -> URL? {
        var parts = URLComponents()
        parts.scheme = "served"
        parts.host = "localhost"
        parts.user = "kit"
        parts.password = password
        parts.path = "/" + path
        parts.query = query
        return parts.url
    }

    private static func address(_ path: String) -> ServiceLocation? {
        url(path).flatMap(ServiceLocation.init)
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
