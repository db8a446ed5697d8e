import CairnFiles
import CairnStore
import CairnThreads

extension FolderLocks {
    /// Takes the locks. Waits while others hold one of them.
    ///
    /// - Parameters:
    ///   - folders: the paths of the folders to lock.
    ///   - isShared: whether others may have shared locks at the same time.
    ///   - timeout: the maximum time to wait.
    ///   - location: names a store in errors.
    /// - Throws: `.busy` after the timeout; `.deadlineExceeded`; `.cancelled` if the running task
    ///   was cancelled; `.fileFailure`.
    package static func wait(
        for folders: [String], isShared: Bool, timeout: Duration, at location: StoreLocation
    ) throws(StoreError) -> FolderLocks {
        try TimedLock.wait(timeout, for: location) { () throws(StoreError) in
            do throws(FileFailure) {
                return try FolderLocks(ifFree: folders, isShared: isShared)
            } catch {
                throw .fileFailure(error)
            }
        }
    }
}
