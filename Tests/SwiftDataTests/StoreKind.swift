import CairnTestSupport
import Foundation
import SwiftData

/// The stores that every case of this target runs on.
enum StoreKind: String, CaseIterable {
    case sqlite = "SQLite"
    case lmdb = "LMDB"
    case inMemory = "InMemory"

    /// Calls a closure with a container of one store.
    func withContainer<Result>(
        for types: any PersistentModel.Type..., body: (ModelContainer) throws -> Result
    ) throws -> Result {
        let folder = try TemporaryFolder()
        let schema = Schema(types.isEmpty ? [Trip.self, Pilot.self, Parcel.self] : types)
        return try withExtendedLifetime(folder) {
            try body(try ModelContainer(for: schema, configurations: configuration(in: folder)))
        }
    }

    /// Calls a closure with a context of a container of one store.
    func withContext<Result>(
        for types: any PersistentModel.Type..., body: (ModelContext) throws -> Result
    ) throws -> Result {
        let folder = try TemporaryFolder()
        let schema = Schema(types.isEmpty ? [Trip.self, Pilot.self, Parcel.self] : types)
        return try withExtendedLifetime(folder) {
            let container = try ModelContainer(
                for: schema, configurations: configuration(in: folder))
            return try body(ModelContext(container))
        }
    }

    func configuration(in folder: TemporaryFolder) -> ModelConfiguration {
        if self == .inMemory { return ModelConfiguration(isStoredInMemoryOnly: true) }
        return ModelConfiguration(url: folder.file("default.store"), storeType: rawValue)
    }
}

extension ModelContext {
    /// Fetches all models of a class, sorted.
    func all<Model: PersistentModel>(
        _ type: Model.Type = Model.self, by sorts: SortDescriptor<Model>...
    ) throws -> [Model] { try fetch(FetchDescriptor<Model>(sortBy: sorts)) }

    /// Fetches the models that match a predicate.
    func all<Model: PersistentModel>(where predicate: Predicate<Model>) throws -> [Model] {
        try fetch(FetchDescriptor<Model>(predicate: predicate))
    }
}
