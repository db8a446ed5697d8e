import CairnFiles
import CairnStore
import CairnThreads
import Foundation

extension FileLock {
    /// Takes the lock that the savers of a store share. Waits while another process or another
    /// thread of this process holds it.
    ///
    /// The lock is a file beside the store. It is created if it does not exist, and never removed.
    /// It gets the permissions of the store's file, so that every user who may write the store can
    /// take the lock. List it among the store's companion files, with the role `scratch`. The lock
    /// is released when the returned object is released or the process dies.
    ///
    /// - Parameters:
    ///   - path: the path of the lock file.
    ///   - timeout: the maximum time to wait, such as the value of the option `timeout`.
    ///   - location: names the store in errors.
    /// - Throws: `.busy` after the timeout; `.deadlineExceeded`; `.cancelled` if the running task
    ///   was cancelled; `.readOnly` if this process may not write the store or its folder;
    ///   `.fileFailure`, also if the lock file is a symbolic link.
    public static func wait(
        at path: String, timeout: Duration, for location: StoreLocation
    ) throws(StoreError) -> FileLock {
        try TimedLock.wait(timeout, for: location) { () throws(StoreError) in
            do throws(FileFailure) {
                return try FileLock(ifFree: path, of: location.fileURL?.path ?? path)
            } catch {
                throw .writing(error, at: location)
            }
        }
    }
}
