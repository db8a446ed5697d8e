import CairnStore

extension EngineFailure {
    /// Creates the failure of a file operation after which an engine does not know whether a commit
    /// took place, for `.commitOutcomeUnknown`.
    package init(_ failure: FileFailure, of type: StoreType, at location: StoreLocation) {
        self.init(
            type: type, location: location, operation: failure.operation,
            code: Int(failure.code), message: failure.message)
    }
}
