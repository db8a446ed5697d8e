extension FetchPlan {
    /// Checks whether the fetch has to end.
    ///
    /// - Throws: `.cancelled` if the plan is cancellable and the running task was cancelled;
    ///   `.deadlineExceeded` if the ``StoreDeadline`` has passed.
    public func checkCancellation() throws(StoreError) {
        try StoreDeadline.check()
        if isCancellable, Task.isCancelled { throw .cancelled }
    }
}
