import Foundation

/// Advisory locks on several folders, which exclude other processes and other threads. The locks
/// are released with the object.
///
/// The folders themselves are locked, so that no lock files are left and no lock of a library is
/// affected. On a file system without such locks, every attempt succeeds.
package final class FolderLocks: Sendable {
    private let held: [HeldFile]

    /// Takes all of the locks or none. Returns `nil` if one of them is held elsewhere.
    ///
    /// All callers take the locks in the same order, so two of them cannot wait for each other.
    ///
    /// - Parameters:
    ///   - folders: the paths. If two of them lead to the same folder, it is locked once.
    ///   - isShared: whether the locks can be held several times, as long as all holders share
    ///     them.
    /// - Throws: a failure if a folder cannot be opened.
    package init?(ifFree folders: some Sequence<String>, isShared: Bool) throws(FileFailure) {
        var opened: [FileIdentity: HeldFile] = [:]
        for folder in Set(folders) {
            let file = try HeldFile(opening: folder, O_RDONLY | O_DIRECTORY)
            opened[try file.stamp().identity] = file
        }
        var held: [HeldFile] = []
        for (_, file) in opened.sorted(by: { $0.key < $1.key }) {
            guard file.lock(isShared: isShared) else { return nil }
            held.append(file)
        }
        self.held = held
    }
}
