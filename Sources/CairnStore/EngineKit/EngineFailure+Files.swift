extension EngineFailure {
    /// A refusal by the operating system that leaves an engine in doubt, for `.commitOutcomeUnknown`.
    public init(_ failure: FileFailure, of type: StoreType, at location: StoreLocation) {
        self.init(
            type: type, location: location, operation: failure.operation,
            code: Int(failure.code), message: failure.message)
    }
}
