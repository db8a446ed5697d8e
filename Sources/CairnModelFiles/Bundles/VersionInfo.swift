import CairnModel
import Foundation

/// The content of `VersionInfo.plist` in a `.momd`.
struct VersionInfo {
    /// The name of the current version, without its extension. `nil` in old bundles.
    var currentName: String?
    /// The version hash of each entity, by the name of the version.
    var hashes: [String: [String: VersionHash]] = [:]

    /// Reads the file of a bundle. If the file does not exist, all properties are empty.
    ///
    /// - Throws: `.unreadable`.
    init(bundle: URL) throws(ModelError) {
        let file = bundle.appendingPathComponent("VersionInfo.plist")
        guard let dictionary = try ModelFile.dictionary(file) else { return }
        currentName = dictionary["NSManagedObjectModel_CurrentVersionName"] as? String
        let versions = dictionary["NSManagedObjectModel_VersionHashes"] as? [String: Any] ?? [:]
        for (version, recorded) in versions {
            for (entity, hash) in recorded as? [String: Any] ?? [:] {
                guard let data = hash as? Data, data.count == 32 else { continue }
                hashes[version, default: [:]][entity] = VersionHash(data)
            }
        }
    }
}
