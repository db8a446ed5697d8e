import CairnFiles
import CairnThreads
import Foundation

extension FileLock {
    /// Takes the lock of a store's savers. Waits while another process, or another thread of this one,
    /// has it.
    ///
    /// The lock is a file beside the store's, made if it is not there, and never removed: name it among
    /// the store's companion files, as ``CairnStore/StoreFile/Role-swift.enum/scratch``. The lock is given back
    /// when the result is released, and when the process dies.
    ///
    /// - Parameters:
    ///   - path: the lock's file.
    ///   - timeout: how long to wait, such as the option `timeout` says.
    ///   - location: names the store in errors.
    /// - Throws: `.busy` after the timeout; `.deadlineExceeded`; `.cancelled` if the running task was
    ///   cancelled; `.readOnly` if this process may not write the lock's file; `.fileFailure`.
    public static func wait(
        at path: String, timeout: Duration, for location: StoreLocation
    ) throws(StoreError) -> FileLock {
        try TimedLock.wait(timeout, for: location) { () throws(StoreError) in
            do throws(FileFailure) {
                return try FileLock(ifFree: path)
            } catch {
                throw .writing(error, at: location)
            }
        }
    }
}
