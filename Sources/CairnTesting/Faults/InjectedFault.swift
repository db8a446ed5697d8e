import Cairn

/// A call to a store that may have to fail.
struct InjectedFault: Sendable {
    let operation: StoreOperation
    let type: StoreType
    let location: StoreLocation

    /// The error that the call throws if the test does not specify an error.
    var error: StoreError {
        let failure = failure("a fault that the test injected")
        return operation == .commitAnswer ? .commitOutcomeUnknown(failure) : .engineFailure(failure)
    }

    func failure(_ message: String) -> EngineFailure {
        EngineFailure(
            type: type, location: location, operation: operation.rawValue, code: 0,
            message: message)
    }
}
