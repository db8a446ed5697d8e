import CairnModel
import CairnStore

extension GraphError {
    /// Runs the body; what a store refuses is thrown as `.store`, a predicate that cannot be evaluated as
    /// `.predicate`, and the end of a cancelled task as `.fetchCancelled`.
    package static func translating<Result>(
        _ body: () throws(StoreError) -> Result
    ) throws(GraphError) -> Result {
        do {
            return try body()
        } catch .predicate(let error) {
            throw .predicate(error)
        } catch .cancelled {
            throw .fetchCancelled
        } catch {
            throw .store(error)
        }
    }

    /// Runs the body; what a model refuses is thrown as `.model`.
    package static func translating<Result>(
        _ body: () throws(ModelError) -> Result
    ) throws(GraphError) -> Result {
        do {
            return try body()
        } catch {
            throw .model(error)
        }
    }
}
