import CairnFiles
import CairnModel
import CairnStore
import CairnThreads
import Foundation

extension StoreLocation {
    /// Waits until a lock of the store is free, and returns it.
    ///
    /// - Parameters:
    ///   - timeout: the maximum time to wait.
    ///   - deadline: the time at which to stop waiting. If `nil`, the timeout and the deadline of the
    ///     running operation decide.
    ///   - translate: returns the error for a failure of `take`.
    ///   - take: takes the lock without waiting. Returns `nil` if the lock is held elsewhere.
    /// - Throws: `.busy` after the timeout; `.deadlineExceeded`; `.cancelled` if the running task
    ///   was cancelled; the errors of `translate`.
    package func waitForLock<Lock>(
        atMost timeout: Duration, until deadline: ContinuousClock.Instant? = nil,
        translating translate: (FileFailure) -> StoreError = { .fileFailure($0) },
        _ take: () throws(FileFailure) -> Lock?
    ) throws(StoreError) -> Lock {
        var lock: Lock?
        let outcome = try LockPolling.take(
            until: deadline ?? StoreDeadline.limiting(.now + timeout)
        ) { () throws(StoreError) in
            do throws(FileFailure) {
                lock = try take()
            } catch {
                throw translate(error)
            }
            return lock != nil
        }
        try outcome.requireTaken(self, waited: timeout)
        guard let lock else { throw .busy(self, waited: timeout) }
        return lock
    }
}

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
        try location.waitForLock(
            atMost: timeout, translating: { .writing($0, at: location) }
        ) { () throws(FileFailure) in
            try FileLock(ifFree: path, of: location.fileURL?.path ?? path)
        }
    }
}

extension HeldFile {
    /// Takes the locks of folders. Waits while others hold one of them.
    ///
    /// - Parameters:
    ///   - folders: the paths of the folders to lock.
    ///   - isShared: whether others may have shared locks at the same time.
    ///   - timeout: the maximum time to wait.
    ///   - location: names a store in errors.
    /// - Throws: `.busy` after the timeout; `.deadlineExceeded`; `.cancelled` if the running task
    ///   was cancelled; `.fileFailure`.
    package static func waitToLock(
        _ folders: [String], isShared: Bool, timeout: Duration, at location: StoreLocation
    ) throws(StoreError) -> [HeldFile] {
        try location.waitForLock(atMost: timeout) { () throws(FileFailure) in
            try locking(folders, isShared: isShared)
        }
    }
}

/// Checks and reads the options of an ``OpenRequest``.
extension [StoreOption: MetadataValue] {
    /// Checks that an engine knows all of the options.
    ///
    /// - Parameters:
    ///   - known: the options in the engine's ``StoreCapabilities``.
    ///   - engine: names the kind of store in errors, such as “a log store”.
    /// - Throws: `.invalidOption` for an unknown option, the first one by name.
    public func requireKnown(
        _ known: Set<StoreOption>, by engine: String
    ) throws(StoreError) {
        let unknown = keys.filter { !known.contains($0) }.min { $0.rawValue < $1.rawValue }
        guard let unknown else { return }
        let names = known.map(\.rawValue).sorted()
        var detail = "\(engine) has no such option"
        if let nearest = NearestName.of(unknown.rawValue, among: names) {
            detail += ". Did you mean “\(nearest)”? Its options are "
        } else if !names.isEmpty {
            detail += ". Its options are "
        }
        detail += names.joined(separator: ", ")
        throw .invalidOption(unknown, detail: detail)
    }

    /// Returns the option `timeout`, which says how long a save waits for others. The default is 5
    /// seconds.
    ///
    /// - Throws: `.invalidOption` if the value is not a number of seconds from 0 to 31536000 (a
    ///   year). Some clocks cannot express longer waits.
    public func timeout() throws(StoreError) -> Duration {
        let seconds: Double =
            switch self[.timeout] {
            case nil: 5
            case .integer(let value): Double(value)
            case .real(let value): value
            default: .nan
            }
        guard seconds >= 0, seconds <= 31_536_000 else {
            throw .invalidOption(
                .timeout, detail: "its value must be a number of seconds from 0 to 31536000")
        }
        return .seconds(seconds)
    }
}
