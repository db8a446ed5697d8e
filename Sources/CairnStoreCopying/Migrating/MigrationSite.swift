import CairnModel
import CairnStore

/// Where a store to migrate is, and how it is read without being opened.
enum MigrationSite {
    case file(ClosedStore)
    case service(any ServiceStore.Type)

    /// - Throws: `.unsupported` if the engine's stores are neither files nor belong to a service that can migrate them.
    init(
        _ engine: any PersistentStore.Type, ofType type: StoreType, at location: StoreLocation
    ) throws(StoreError) {
        if let engine = engine as? any FileStore.Type, let url = location.fileURL {
            self = .file(ClosedStore(engine, ofType: type, at: url))
        } else if let engine = engine as? any ServiceStore.Type {
            self = .service(engine)
        } else {
            throw .unsupported(
                location, feature: "no file",
                advice:
                    "Only stores that are files, or that their service can move, can be migrated.")
        }
    }

    /// - Throws: the errors of ``CairnStore/FileStore/metadata(at:)``.
    func metadata(at location: StoreLocation) throws(StoreError) -> StoreMetadata {
        switch self {
        case .file(let store): try store.engine.metadata(at: location)
        case .service(let engine): try engine.metadata(at: location)
        }
    }

    /// - Throws: the errors of ``CairnStore/FileStore/model(at:)``.
    func model(at location: StoreLocation) throws(StoreError) -> ModelDescription? {
        switch self {
        case .file(let store): try store.engine.model(at: location)
        case .service(let engine): try engine.model(at: location)
        }
    }
}
