import CairnModel

/// Why the tests of a filter stopped giving answers: set by a test that cannot throw, and thrown by the
/// code that runs the tests after each batch of rows.
///
/// Used by one thread at a time, as the filter is.
final class FilterInterruption {
    private var error: StoreError?
    /// Whether a test of the filter can take so long that it has to be stopped. Set while the filter is
    /// compiled.
    var guardsTests = false
    private let isCancellable: Bool

    /// - Parameter isCancellable: whether a cancelled task ends the tests that can take long.
    init(isCancellable: Bool) { self.isCancellable = isCancellable }

    /// Returns what the body returns; `false` once a test failed or the task was cancelled.
    func answer(_ body: () throws(FetchPredicateError) -> Bool) -> Bool {
        guard error == nil else { return false }
        if isCancellable, Task.isCancelled {
            error = .cancelled
            return false
        }
        do throws(FetchPredicateError) {
            return try body()
        } catch {
            self.error = .predicate(error)
            return false
        }
    }

    /// Throws what stopped a test.
    ///
    /// - Throws: `.predicate`, `.cancelled`.
    func check() throws(StoreError) {
        if let error { throw error }
    }
}
