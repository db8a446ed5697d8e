import CairnFiles
import CairnStore
import Foundation

/// The folder with the files that hold a store's large values. It is next to the store.
///
/// As in Core Data, the path is `.<name of the store without its
/// extension>_SUPPORT/_EXTERNAL_DATA/<UUID>`.
struct ExternalDataFolder: Sendable {
    /// The path of the store's main file.
    let storePath: String

    init(besideFileAt storePath: String) { self.storePath = storePath }

    /// The folder's URL. It is computed on each access, because few stores have large values.
    var url: URL {
        let store = URL(fileURLWithPath: storePath)
        let name = store.deletingPathExtension().lastPathComponent
        return store.deletingLastPathComponent()
            .appending(path: ".\(name)_SUPPORT", directoryHint: .isDirectory)
            .appending(path: "_EXTERNAL_DATA", directoryHint: .isDirectory)
    }

    /// The parent folder, which contains only this folder.
    var support: URL { url.deletingLastPathComponent() }

    /// Returns the file of the value with the given name. Returns `nil` if the name is not a UUID,
    /// because a damaged store could use other names to refer to files outside the folder.
    func file(named name: String) -> URL? {
        UUID(uuidString: name) == nil ? nil : url.appending(path: name)
    }

    /// Reads a value. Follows no symbolic link, neither at the path of the file nor instead of the
    /// folders: whoever gave away the store could let it lead to any file.
    ///
    /// - Throws: `.externalDataMissing` or `.fileFailure`.
    func read(_ reference: ExternalReference) throws(StoreError) -> Data {
        guard let file = file(named: reference.name) else {
            throw .externalDataMissing(reference, path: url.path)
        }
        do throws(FileFailure) {
            return try HeldFile(companion: file.path, of: storePath, O_RDONLY).readData()
        } catch {
            throw error.code == ENOENT
                ? .externalDataMissing(reference, path: file.path) : .fileFailure(error)
        }
    }
}
