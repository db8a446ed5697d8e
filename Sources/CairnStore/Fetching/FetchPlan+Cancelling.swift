extension FetchPlan {
    /// Ends the fetch if its task was cancelled.
    ///
    /// - Throws: `.cancelled` if the plan is cancellable and the running task was cancelled.
    public func checkCancellation() throws(StoreError) {
        if isCancellable, Task.isCancelled { throw .cancelled }
    }
}
