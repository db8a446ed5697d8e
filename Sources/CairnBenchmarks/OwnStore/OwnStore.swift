import Cairn
import Foundation

/// A user's own store. A copy of it is measured.
package final class OwnStore: MeasuringEnvironment {
    /// The maximum number of measured entities. Those with the most objects are chosen.
    private static let mostEntities = 6

    /// The engine's type, such as `SQLite`.
    package var engineName: String { engine.type.rawValue }
    /// The number of objects in the store.
    package let objectCount: Int
    /// The size for the rows of a report, which is the number of objects.
    package var size: Int { objectCount }

    /// The root entities that have objects, starting with the one that has the most.
    let entityNames: [String]
    private let engine: any FileStore.Type
    private let model: ManagedObjectModel
    private let folder: URL
    private let copy: URL

    /// Copies a store's files, so that the store itself is not changed.
    ///
    /// - Parameters:
    ///   - model: The URL of the model, or `nil` to use the model that the store contains.
    ///   - parent: The folder for the copy, or `nil` for the system's temporary directory.
    /// - Throws: ``OwnStoreFailure``, or `StoreError` or `ModelError` if the store or the model cannot be
    ///   opened.
    package init(_ url: URL, model: URL?, folder parent: URL?) throws {
        let location = StoreLocation.file(url)
        guard let engine = StoreRegistry.builtIn.engine(recognizing: location) else {
            throw OwnStoreFailure.unknown(url.path)
        }
        self.engine = engine
        folder = (parent ?? FileManager.default.temporaryDirectory)
            .appendingPathComponent("cairn-bench-own-\(getpid())", isDirectory: true)
        copy = folder.appendingPathComponent(url.lastPathComponent)
        self.model = try Self.model(of: location, engine, model)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for file in [url] + engine.companionFiles(of: location).map(\.url)
        where FileManager.default.fileExists(atPath: file.path) {
            try FileManager.default.copyItem(
                at: file, to: folder.appendingPathComponent(file.lastPathComponent))
        }
        let counts = try Self.counts(in: self.model, engine, copy)
        objectCount = counts.reduce(0) { $0 + $1.count }
        entityNames = counts.filter { $0.count > 0 }.sorted { $0.count > $1.count }
            .prefix(Self.mostEntities).map(\.name)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private static func model(
        of location: StoreLocation, _ engine: any FileStore.Type, _ url: URL?
    ) throws -> ManagedObjectModel {
        if let url { return try ManagedObjectModel(contentsOf: url) }
        guard let description = try engine.model(at: location) else {
            throw OwnStoreFailure.noModel("\(location)")
        }
        let hashes = try engine.metadata(at: location).entityVersionHashes
        return try ManagedObjectModel(description, recordedHashes: hashes)
    }

    private static func counts(
        in model: ManagedObjectModel, _ engine: any FileStore.Type, _ url: URL
    ) throws -> [(name: String, count: Int)] {
        let container = try open(model, engine, url)
        let names = model.entities.filter { $0.superentity == nil }.map(\.name)
        return try container.newBackgroundContext().performAndWait { context in
            try names.map {
                ($0, try context.count(for: FetchRequest<ManagedObject>($0)))
            }
        }
    }

    /// Opens the copy again, so that no row is cached.
    ///
    /// - Throws: `GraphError`.
    func open() throws -> PersistentContainer { try Self.open(model, engine, copy) }

    private static func open(
        _ model: ManagedObjectModel, _ engine: any FileStore.Type, _ url: URL
    ) throws -> PersistentContainer {
        let container = PersistentContainer(name: "Own", managedObjectModel: model)
        try container.persistentStoreCoordinator.addPersistentStore(
            ofType: engine.type, configurationName: nil, at: url, options: [:])
        return container
    }
}

/// The reason for which a store cannot be measured.
package enum OwnStoreFailure: Error, CustomStringConvertible {
    /// No engine recognizes the file.
    case unknown(String)
    /// The store does not contain its model.
    case noModel(String)

    /// A description of the failure, and advice.
    package var description: String {
        switch self {
        case .unknown(let path):
            "\(path) is not a store of any known type. Check that it is the store's main file."
        case .noModel(let store):
            "\(store) keeps no model. Give the one that it was written with: --model PATH."
        }
    }
}
