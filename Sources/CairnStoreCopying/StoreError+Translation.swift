import CairnStore

extension StoreError {
    /// Runs the body; what the operating system refuses is thrown as `.fileFailure`.
    static func translating<Result>(
        _ body: () throws(FileFailure) -> Result
    ) throws(StoreError) -> Result {
        do {
            return try body()
        } catch {
            throw .fileFailure(error)
        }
    }
}
