import CairnFiles
import CairnStore
import Foundation

/// The file names whose changes may mean that a store has a new state, by the path of their folder.
package struct WatchedFiles: Sendable, Hashable {
    package let namesByFolder: [String: Set<String>]

    /// Collects the store's file and the companion files that contain data, under the given paths
    /// and under those that symbolic links lead to. Returns `nil` if the store is not a file.
    package init?(of store: any PersistentStore) {
        let location = store.request.location
        guard let engine = type(of: store) as? any FileStore.Type, let url = location.fileURL
        else { return nil }
        let companions = engine.companionFiles(of: location).filter { $0.role == .data }
        var names: [String: Set<String>] = [:]
        for file in [url, url.followingLinks] + companions.map(\.url) {
            names[file.deletingLastPathComponent().path, default: []]
                .insert(file.lastPathComponent)
        }
        namesByFolder = names
    }
}
