extension FetchPlan {
    /// Ends the fetch if its task was cancelled, or the ``StoreDeadline`` has passed.
    ///
    /// - Throws: `.cancelled` if the plan is cancellable and the running task was cancelled;
    ///   `.deadlineExceeded`.
    public func checkCancellation() throws(StoreError) {
        try StoreDeadline.check()
        if isCancellable, Task.isCancelled { throw .cancelled }
    }
}
