import CairnFiles
import CairnStore
import Foundation

/// The files that hold large values of a store, beside it.
///
/// `.<name of the store without its extension>_SUPPORT/_EXTERNAL_DATA/<UUID>`, as Core Data lays
/// them out.
struct ExternalDataFolder: Sendable {
    /// The path of the store's own file.
    private let storePath: String

    init(besideFileAt storePath: String) { self.storePath = storePath }

    /// Made when it is asked for: few stores have large values.
    var url: URL {
        let store = URL(fileURLWithPath: storePath)
        let name = store.deletingPathExtension().lastPathComponent
        return store.deletingLastPathComponent()
            .appending(path: ".\(name)_SUPPORT", directoryHint: .isDirectory)
            .appending(path: "_EXTERNAL_DATA", directoryHint: .isDirectory)
    }

    /// The folder that holds nothing but this one.
    var support: URL { url.deletingLastPathComponent() }

    /// Returns where the value of that name is kept. Returns `nil` for a name that is no UUID, which a
    /// damaged store could use to lead out of the folder.
    func file(named name: String) -> URL? {
        UUID(uuidString: name) == nil ? nil : url.appending(path: name)
    }

    /// Reads a value.
    ///
    /// - Throws: `.externalDataMissing`, `.fileFailure`.
    func read(_ reference: ExternalReference) throws(StoreError) -> Data {
        guard let file = file(named: reference.name) else {
            throw .externalDataMissing(reference, path: url.path)
        }
        do throws(FileFailure) {
            return try PosixFile.read(file.path)
        } catch {
            throw error.code == ENOENT
                ? .externalDataMissing(reference, path: file.path) : .fileFailure(error)
        }
    }
}
