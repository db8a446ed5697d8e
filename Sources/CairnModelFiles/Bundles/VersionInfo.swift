import CairnModel
import Foundation

/// What `VersionInfo.plist` in a `.momd` records.
struct VersionInfo {
    /// Without extension. `nil` in old bundles.
    var currentName: String?
    /// Hashes of each entity of each version.
    var hashes: [String: [String: VersionHash]] = [:]

    /// Reads the bundle's file. If the bundle has no such file, nothing is recorded.
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
