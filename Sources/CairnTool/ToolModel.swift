import ArgumentParser
import Cairn
import Foundation

/// A model that the user named: a model file of any form, or a store that contains a model.
struct ToolModel {
    let versions: VersionedModel
    private let path: PathArgument

    /// - Throws: `ModelError`, `StoreError`; ``ToolFailure`` for a store that does not contain a model.
    init(_ path: PathArgument) throws {
        self.path = path
        if case .service = try path.location() {
            let model = try ToolStore(path, model: nil).model()
            versions = VersionedModel(versions: ["store": model], currentName: "store")
            return
        }
        let url = try path.url()
        // An engine cannot recognize a pipe by its first bytes. Reading it as a model gives a clear error.
        guard Self.isRegularFile(url),
            let engine = StoreRegistry.builtIn.engine(recognizing: .file(url))
        else {
            versions = try path.versionedModel(at: url)
            return
        }
        let location = StoreLocation.file(url)
        guard let description = try engine.model(at: location) else {
            throw ToolFailure(
                "The store \(path.shown) contains no model. Pass the path of the model that it was written"
                    + " with.")
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

    /// Returns the version with a name, or the current version for `nil`.
    ///
    /// - Throws: ``ToolFailure`` with the names of all versions if there is no such version.
    func version(_ name: String?) throws(ToolFailure) -> ManagedObjectModel {
        try versions.requireVersion(name, of: path)
    }
}

extension VersionedModel {
    /// Returns the version with a name, or the current version for `nil`.
    ///
    /// - Throws: ``ToolFailure`` with the names of all versions if there is no such version.
    func requireVersion(
        _ name: String?, of path: PathArgument
    ) throws(ToolFailure) -> ManagedObjectModel {
        if let wanted = name ?? currentName, let version = versions[wanted] { return version }
        let known = names.map { "“\($0)”" }.joined(separator: ", ")
        guard let name else {
            throw ToolFailure(
                "\(path.shown) has no current version. Its versions are \(known). Choose one with"
                    + " --version.")
        }
        throw ToolFailure("\(path.shown) has no version “\(name)”. Its versions are \(known).")
    }
}
