import CairnGraph
import CairnStore
import CairnStoreCopying

extension GraphError {
    /// Runs the body; each reason why a store could not be copied, moved or replaced is thrown as the
    /// case that says the same.
    static func translating<Result>(
        _ body: () throws(StoreCopyError) -> Result
    ) throws(GraphError) -> Result {
        let reason: StoreCopyError
        do {
            return try body()
        } catch {
            reason = error
        }
        switch reason {
        case .store(let error):
            return try translating { () throws(StoreError) in throw error }
        case .model(let error): throw .model(error)
        case .destinationExists(let location): throw .destinationExists(location)
        case .cancelled(let location): throw .copyCancelled(location)
        case .wouldNotLast(let type): throw .copyWouldNotLast(type)
        case .keepsNoFiles(let type): throw .keepsNoFiles(type)
        case .ontoItself(let location): throw .copyOntoItself(location)
        }
    }
}
