import CairnFiles
import CairnThreads

extension FolderLocks {
    /// Takes the locks, and waits for them while others have one.
    ///
    /// - Parameters:
    ///   - timeout: how long to wait.
    ///   - location: names a store in errors.
    /// - Throws: `.busy` after the timeout; `.deadlineExceeded`; `.cancelled` if the running task was
    ///   cancelled; `.fileFailure`.
    package static func wait(
        for folders: [String], isShared: Bool, timeout: Duration, at location: StoreLocation
    ) throws(StoreError) -> FolderLocks {
        var locks: FolderLocks?
        let outcome: WaitOutcome
        do throws(FileFailure) {
            outcome = try LockPolling.take(until: StoreDeadline.limiting(.now + timeout)) {
                () throws(FileFailure) in
                locks = try FolderLocks(ifFree: folders, isShared: isShared)
                return locks != nil
            }
        } catch {
            throw .fileFailure(error)
        }
        try outcome.requireTaken(location, waited: timeout)
        guard let locks else { throw .busy(location, waited: timeout) }
        return locks
    }
}
