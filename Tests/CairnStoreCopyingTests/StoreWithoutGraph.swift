import CairnBinary
import CairnMemory
import CairnModel
import CairnStore
import CairnTestSupport
import Foundation
import StoreFileSupport

/// Stores of samples in a folder, opened by their engines, without a coordinator.
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

    /// A store in memory that has objects.
    func source() throws -> any PersistentStore {
        let store = try InMemoryStore.open(request(.memory(UUID().uuidString)))
        try SampleModel.fill(store, count: 6)
        return store
    }

    /// Makes a closed store with so many items, and returns its file.
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

    /// Names of what is in the folder, hidden files too.
    func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
    }
}
