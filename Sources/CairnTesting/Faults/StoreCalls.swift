import Cairn

/// The calls to one open store.
struct StoreCalls: Sendable {
    /// `nil` if all calls pass and nothing is counted.
    let faults: StoreFaults?
    let type: StoreType
    let location: StoreLocation

    /// Counts a call, waits while it is held, and makes it fail if it has to.
    ///
    /// - Throws: the errors of ``StoreFaults/check(_:)``.
    func check(_ operation: StoreOperation) throws(StoreError) {
        try faults?.check(InjectedFault(operation: operation, type: type, location: location))
    }
}
