import CairnModel
import CairnStore

/// The reason why the tests of a filter stopped working. It is set by a test that cannot throw, and
/// thrown by the code that runs the tests, after each batch of rows.
///
/// Like the filter, it is used by one thread at a time.
final class FilterInterruption {
    private var error: StoreError?
    /// Whether a test of the filter may take so long that it has to be interrupted. Set while the
    /// filter is compiled.
    var guardsTests = false
    private let isCancellable: Bool

    /// - Parameter isCancellable: whether cancelling the task interrupts tests that may take long.
    init(isCancellable: Bool) { self.isCancellable = isCancellable }

    /// Returns the result of the body, or `false` once a test has failed or the task has been
    /// cancelled.
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

    /// Throws the error that interrupted a test, if there is one.
    ///
    /// - Throws: `.predicate`, `.cancelled`.
    func check() throws(StoreError) {
        if let error { throw error }
    }
}
