import Foundation

/// Advisory locks on several folders, among all processes and all threads, given back when they are
/// released.
///
/// A folder's own lock is used, so that no file is left behind and no lock of a library is touched. On a
/// file system without such locks every attempt succeeds.
package final class FolderLocks: Sendable {
    private let held: [HeldFile]

    /// Takes all locks at once, or none. Returns `nil` if another has one of them.
    ///
    /// Locks are taken in one order for all callers, so that two of them cannot wait for each other.
    ///
    /// - Parameters:
    ///   - folders: paths; two that lead to one folder are locked once.
    ///   - isShared: whether others may share the locks.
    /// - Throws: if a folder cannot be opened.
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
