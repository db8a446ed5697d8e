import CairnBinary
import CairnMemory
import CairnModel
import CairnStore
import CairnTestSupport
import Foundation
import StoreFileSupport

/// Sample stores in a folder, opened directly by their engines without a coordinator.
struct StoreWithoutGraph {
    let folder: TemporaryFolder
    let model: ManagedObjectModel

    init() throws {
        folder = try TemporaryFolder()
        model = try ManagedObjectModel(SampleModel.entities)
    }

    func request(_ location: StoreLocation) -> OpenRequest {
        OpenRequest(location: location, model: model)
    }

    /// Returns an in-memory store with objects.
    func source() throws -> any PersistentStore {
        let store = try InMemoryStore.open(request(.memory(UUID().uuidString)))
        try SampleModel.fill(store, count: 6)
        return store
    }

    /// Creates a closed store with `itemCount` items and returns its file.
    func makeFile(_ name: String, itemCount: Int) throws -> URL {
        let url = folder.file(name)
        let store = try BinaryStore.open(request(.file(url)))
        try SampleModel.fill(store, count: itemCount)
        try store.close()
        return url
    }

    func itemCount(of url: URL) throws -> Int? {
        let store = try BinaryStore.open(request(.file(url)))
        defer { try? store.close() }
        return try itemCount(in: store)
    }

    func itemCount(in store: any PersistentStore) throws -> Int? {
        guard let item = model.entity(named: "Item") else { return nil }
        return try store.snapshot().count(FetchPlan(entity: item))
    }

    /// Returns the names of all files in the folder, including hidden files.
    func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
    }
}
