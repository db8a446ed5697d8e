import CairnThreads

extension WaitOutcome {
    /// Checks that the wait ended with the store's lock taken.
    ///
    /// - Throws: `.busy` if the wait timed out, or `.deadlineExceeded` if a ``StoreDeadline`` ended
    ///   it; `.cancelled`.
    package func requireTaken(
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
