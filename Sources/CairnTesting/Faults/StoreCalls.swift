import Cairn

/// A check of the calls that are made to one opened store.
struct StoreCalls: Sendable {
    /// The object that controls the calls. `nil` if all calls pass and are not counted.
    let faults: StoreFaults?
    let type: StoreType
    let location: StoreLocation

    /// Counts a call, waits if it is held, and throws if it should fail.
    ///
    /// - Throws: The same errors as ``StoreFaults/check(_:)``.
    func check(_ operation: StoreOperation) throws(StoreError) {
        try faults?.check(InjectedFault(operation: operation, type: type, location: location))
    }
}
