import CairnModel
import Foundation

/// Finds models by name in folders and bundles.
package struct ModelLocator: Sendable {
    /// The extensions in order of precedence for models with the same name. Forms with several versions come
    /// first, and in each group, the compiled form comes before the source form.
    static let extensions = ["momd", "xcdatamodeld", "mom", "xcdatamodel"]

    /// The folders to search, in order. Their subfolders are not searched.
    package var folders: [URL]

    /// Creates a locator that searches folders in this order. No folder is read until a model is requested.
    package init(folders: [URL]) {
        self.folders = folders
    }

    /// Creates a locator that searches the resource folders of bundles.
    package init(bundles: [Bundle]) {
        self.init(folders: bundles.compactMap(\.resourceURL))
    }

    /// Returns the location of the model with this name. This is the first of `NAME.momd`,
    /// `NAME.xcdatamodeld`, `NAME.mom` and `NAME.xcdatamodel` in the first folder that contains one of them.
    ///
    /// - Throws: `.notFound`, with all folders that were searched.
    package func location(of name: String) throws(ModelError) -> URL {
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
    /// - Throws: `.notFound`, or the errors of ``CairnModel/ManagedObjectModel/init(contentsOf:)``.
    package func model(named name: String) throws(ModelError) -> ManagedObjectModel {
        try ManagedObjectModel(contentsOf: location(of: name))
    }

    /// Returns the locations of all models in the folders, by folder and then by name. If models differ only
    /// by extension, only the model that ``location(of:)`` prefers is returned.
    ///
    /// - Throws: `.unreadable` if a folder cannot be listed.
    package func locations() throws(ModelError) -> [URL] {
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

    /// Reads and compiles all models in the folders and merges them. If a model has several versions, the
    /// current version is used.
    ///
    /// - Throws: `.notFound` if the folders contain no model, `.mergeConflict`, or the errors of
    ///   ``CairnModel/ManagedObjectModel/init(contentsOf:)``.
    package func mergedModel() throws(ModelError) -> ManagedObjectModel {
        var models: [ManagedObjectModel] = []
        for location in try locations() {
            models.append(try ManagedObjectModel(contentsOf: location))
        }
        guard !models.isEmpty else { throw .notFound("", searched: folders) }
        return try ManagedObjectModel.merging(models)
    }

    /// Returns the model with which a store can be opened, from all versions of all models in the folders.
    /// Returns `nil` if there is no such model. Versions that cannot be read are ignored.
    ///
    /// - Parameter recorded: The hashes in the store's metadata.
    /// - Throws: `.unreadable` if a folder cannot be listed.
    package func mergedModel(
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
    /// Merges all models in the resources of bundles, as `ModelLocator.mergedModel()` does.
    ///
    /// - Parameter bundles: The bundles. If `nil`, the main bundle is used.
    /// - Throws: The errors of `ModelLocator.mergedModel()`.
    public static func mergedModel(
        from bundles: [Bundle]?
    ) throws(ModelError) -> ManagedObjectModel {
        try ModelLocator(bundles: bundles ?? [.main]).mergedModel()
    }

    /// Returns the model for a store from the resources of bundles, as
    /// `ModelLocator.mergedModel(forStoreMetadata:)` does.
    ///
    /// - Throws: The errors of `ModelLocator.mergedModel(forStoreMetadata:)`.
    public static func mergedModel(
        from bundles: [Bundle], forStoreMetadata recorded: [String: VersionHash]
    ) throws(ModelError) -> ManagedObjectModel? {
        try ModelLocator(bundles: bundles).mergedModel(forStoreMetadata: recorded)
    }
}
