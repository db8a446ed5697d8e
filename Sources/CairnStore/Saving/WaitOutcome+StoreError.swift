import CairnThreads

extension WaitOutcome {
    /// Checks that a lock of a store was taken.
    ///
    /// - Throws: `.busy` at the end of the time, or `.deadlineExceeded` if a ``StoreDeadline`` ended
    ///   it; `.cancelled`.
    public func requireTaken(
        _ location: StoreLocation, waited timeout: Duration
    ) throws(StoreError) {
        switch self {
        case .taken: return
        case .timedOut:
            try StoreDeadline.check()
            throw .busy(location, waited: timeout)
        case .cancelled: throw .cancelled
        }
    }
}
