import ArgumentParser
import Cairn
import Foundation

/// A model at a path that the user passed: a model in any form, or the model in a store.
struct ToolModel {
    let versions: VersionedModel
    private let path: PathArgument

    /// - Throws: `ModelError`, `StoreError`, ``ToolFailure`` for a store that contains no model.
    init(_ path: PathArgument) throws {
        self.path = path
        let url = try path.url()
        // The beginning of a pipe cannot be examined. Reading it as a model throws an error that describes
        // it.
        guard Self.isRegularFile(url),
            let engine = StoreRegistry.builtIn.engine(recognizing: .file(url))
        else {
            versions = try path.versionedModel(at: url)
            return
        }
        let location = StoreLocation.file(url)
        guard let description = try engine.model(at: location) else {
            throw ToolFailure(
                "The store \(path.shown) contains no model. Give the path of the model that it was"
                    + " written with.")
        }
        let hashes = try engine.metadata(at: location).entityVersionHashes
        let model = try ManagedObjectModel(description, recordedHashes: hashes)
        let name = url.deletingPathExtension().lastPathComponent
        versions = VersionedModel(versions: [name: model], currentName: name)
    }

    private static func isRegularFile(_ url: URL) -> Bool {
        var status = stat()
        return stat(url.path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// Returns the version with the given name, or the current version for `nil`.
    ///
    /// - Throws: ``ToolFailure`` with the names of all versions if the name is unknown.
    func version(_ name: String?) throws(ToolFailure) -> ManagedObjectModel {
        try versions.requireVersion(name, of: path)
    }
}

extension VersionedModel {
    /// Returns the version with the given name, or the current version for `nil`.
    ///
    /// - Throws: ``ToolFailure`` with the names of all versions if the name is unknown.
    func requireVersion(
        _ name: String?, of path: PathArgument
    ) throws(ToolFailure) -> ManagedObjectModel {
        if let wanted = name ?? currentName, let version = versions[wanted] { return version }
        let known = names.map { "“\($0)”" }.joined(separator: ", ")
        guard let name else {
            throw ToolFailure(
                "\(path.shown) does not say which version is the current one; there are \(known)."
                    + " Choose one with --version.")
        }
        throw ToolFailure("\(path.shown) has no version “\(name)”; it has \(known).")
    }
}
