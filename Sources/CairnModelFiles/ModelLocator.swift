import CairnModel
import Foundation

/// Finds models by name in folders and bundles.
public struct ModelLocator: Sendable {
    /// In the order in which a model of one name is taken: compiled before source, versioned
    /// before single.
    static let extensions = ["momd", "xcdatamodeld", "mom", "xcdatamodel"]

    /// The folders to search, in order; their subfolders are not searched.
    public var folders: [URL]

    /// Searches the given folders.
    public init(folders: [URL]) {
        self.folders = folders
    }

    /// Searches the folders with the resources of bundles.
    public init(bundles: [Bundle]) {
        self.init(folders: bundles.compactMap(\.resourceURL))
    }

    /// Returns where the model of that name is: the first of `NAME.momd`, `NAME.xcdatamodeld`,
    /// `NAME.mom`, `NAME.xcdatamodel` in the first folder that has one.
    ///
    /// - Throws: `.notFound`, with every folder that was searched.
    public func location(of name: String) throws(ModelError) -> URL {
        for folder in folders {
            for suffix in Self.extensions {
                let location = folder.appendingPathComponent("\(name).\(suffix)")
                if FileManager.default.fileExists(atPath: location.path) { return location }
            }
        }
        throw .notFound(name, searched: folders)
    }

    /// Finds, reads and compiles a model.
    ///
    /// - Throws: `.notFound`, and as ``CairnModel/ManagedObjectModel/init(contentsOf:)``.
    public func model(named name: String) throws(ModelError) -> ManagedObjectModel {
        try ManagedObjectModel(contentsOf: location(of: name))
    }

    /// Returns every model in the folders, by folder and name. The first of those that differ only
    /// by extension counts.
    ///
    /// - Throws: `.unreadable` if a folder cannot be listed.
    public func locations() throws(ModelError) -> [URL] {
        var locations: [URL] = []
        for folder in folders {
            let names = try ModelFile.names(in: folder).filter {
                Self.extensions.contains(URL(fileURLWithPath: $0).pathExtension)
            }
            let stems = Set(
                names.map { URL(fileURLWithPath: $0).deletingPathExtension().lastPathComponent })
            for stem in stems.sorted() {
                for suffix in Self.extensions where names.contains("\(stem).\(suffix)") {
                    locations.append(folder.appendingPathComponent("\(stem).\(suffix)"))
                    break
                }
            }
        }
        return locations
    }

    /// Reads and compiles every model in the folders, bundles with several versions in their
    /// current one, and merges them.
    ///
    /// - Throws: `.notFound` if the folders contain no model; `.mergeConflict`; and as
    ///   ``CairnModel/ManagedObjectModel/init(contentsOf:)``.
    public func mergedModel() throws(ModelError) -> ManagedObjectModel {
        var models: [ManagedObjectModel] = []
        for location in try locations() {
            models.append(try ManagedObjectModel(contentsOf: location))
        }
        guard !models.isEmpty else { throw .notFound("", searched: folders) }
        return try ManagedObjectModel.merging(models)
    }

    /// Returns the model with which a store can be opened, among all versions of all models in the
    /// folders. Returns `nil` if it does not exist. Versions that cannot be read are ignored.
    ///
    /// - Parameter recorded: the hashes that the store's metadata records.
    /// - Throws: `.unreadable` if a folder cannot be listed.
    public func mergedModel(
        forStoreMetadata recorded: [String: VersionHash]
    ) throws(ModelError) -> ManagedObjectModel? {
        var models: [ManagedObjectModel] = []
        for location in try locations() {
            if let versions = try? ModelVersions(contentsOf: location) {
                models += versions.names.compactMap { try? versions.model(named: $0) }
            } else if let model = try? ManagedObjectModel(contentsOf: location) {
                models.append(model)
            }
        }
        return ManagedObjectModel.merging(models, forStoreMetadata: recorded)
    }
}

extension ManagedObjectModel {
    /// Merges every model among the resources of bundles; see ``ModelLocator/mergedModel()``.
    ///
    /// - Parameter bundles: `nil` means the main bundle.
    /// - Throws: as there.
    public static func mergedModel(
        from bundles: [Bundle]?
    ) throws(ModelError) -> ManagedObjectModel {
        try ModelLocator(bundles: bundles ?? [.main]).mergedModel()
    }

    /// Returns the model for a store among the resources of bundles; see
    /// ``ModelLocator/mergedModel(forStoreMetadata:)``.
    ///
    /// - Throws: as there.
    public static func mergedModel(
        from bundles: [Bundle], forStoreMetadata recorded: [String: VersionHash]
    ) throws(ModelError) -> ManagedObjectModel? {
        try ModelLocator(bundles: bundles).mergedModel(forStoreMetadata: recorded)
    }
}
