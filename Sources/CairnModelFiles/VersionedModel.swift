import CairnModel
import Foundation

/// All versions of a model, compiled, with which of them is the current one.
public struct VersionedModel: Sendable {
    /// The versions by name, without extension.
    public var versions: [String: ManagedObjectModel]
    /// The name of the current version; `nil` if there are several and none is named.
    public var currentName: String?

    /// Collects versions.
    ///
    /// - Precondition: `currentName` is `nil` or the name of one of the versions.
    public init(versions: [String: ManagedObjectModel], currentName: String?) {
        precondition(currentName.map { versions[$0] != nil } ?? true, "no such version")
        self.versions = versions
        self.currentName = currentName
    }

    /// Reads all versions of the model at a location, of any form.
    ///
    /// A form without versions gives one version, which is called as the file is, without extension.
    ///
    /// - Throws: as ``CairnModel/ManagedObjectModel/init(contentsOf:)``, of the first version that
    ///   cannot be read.
    public init(contentsOf location: URL) throws(ModelError) {
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

    /// The names of all versions, sorted as people sort numbers: `Model 2` before `Model 10`.
    public var names: [String] {
        versions.keys.sorted { left, right in
            let order = left.compare(right, options: [.numeric])
            return order == .orderedSame ? left < right : order == .orderedAscending
        }
    }

    /// Returns the names of the versions with which a store can be opened without migration, in the
    /// order of ``names``.
    ///
    /// A store may have the entities of one configuration only.
    ///
    /// - Parameter recorded: the hashes that the store's metadata records.
    public func names(compatibleWith recorded: [String: VersionHash]) -> [String] {
        names.filter { name in
            guard let version = versions[name] else { return false }
            return ([nil] + version.configurations).contains { configuration in
                (try? version.isConfiguration(configuration, compatibleWith: recorded)) ?? false
            }
        }
    }
}
