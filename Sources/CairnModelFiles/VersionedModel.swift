import CairnModel
import Foundation

/// All versions of a model, compiled, and the name of the current version.
public struct VersionedModel: Sendable {
    /// The versions by name, without extension.
    public var versions: [String: ManagedObjectModel]
    /// The name of the current version, or `nil` if there are several versions and none is marked as current.
    public var currentName: String?

    /// Creates a model from versions.
    ///
    /// - Precondition: `currentName` is `nil` or the name of one of the versions.
    public init(versions: [String: ManagedObjectModel], currentName: String?) {
        precondition(
            currentName.map { versions[$0] != nil } ?? true,
            "the current version must be one of the versions")
        self.versions = versions
        self.currentName = currentName
    }

    /// Reads all versions of the model at a location. The model may have any form.
    ///
    /// A form without versions gives a single version with the name of the file, without its extension.
    ///
    /// - Throws: The errors of ``CairnModel/ManagedObjectModel/init(contentsOf:)`` for the first version that
    ///   cannot be read.
    package init(contentsOf location: URL) throws(ModelError) {
        switch try ModelFileKind(location) {
        case .sourceVersions?, .compiledVersions?:
            let folder = try ModelVersions(contentsOf: location)
            versions = [:]
            for name in folder.names { versions[name] = try folder.model(named: name) }
            currentName = folder.currentName.flatMap { versions[$0] == nil ? nil : $0 }
        default:
            let name = location.deletingPathExtension().lastPathComponent
            versions = [name: try ManagedObjectModel(contentsOf: location)]
            currentName = name
        }
    }

    /// The names of all versions, sorted with numbers in numeric order: `Model 2` comes before `Model 10`.
    package var names: [String] {
        versions.keys.sorted { left, right in
            let order = left.compare(right, options: [.numeric])
            return order == .orderedSame ? left < right : order == .orderedAscending
        }
    }

    /// Returns the names of the versions with which a store can be opened without migration, in the
    /// order of ``names``.
    ///
    /// A version is also returned if the store matches only one of its configurations.
    ///
    /// - Parameter recorded: The hashes in the store's metadata.
    package func names(compatibleWith recorded: [String: VersionHash]) -> [String] {
        names.filter { name in
            guard let version = versions[name] else { return false }
            return ([nil] + version.configurations).contains { configuration in
                (try? version.isConfiguration(configuration, compatibleWith: recorded)) ?? false
            }
        }
    }
}
