import CairnGraph
import CairnStore
import CairnStoreCopying

extension GraphError {
    /// Creates the error that says the same as a reason why a store could not be copied, moved or replaced.
    init(ofCopy error: StoreCopyError) {
        self =
            switch error {
            case .store(let error): GraphError(ofStore: error)
            case .destinationExists(let location): .destinationExists(location)
            case .cancelled(let location): .copyCancelled(location)
            case .wouldNotLast(let type): .copyWouldNotLast(type)
            case .keepsNoFiles(let type): .keepsNoFiles(type)
            case .ontoItself(let location): .copyOntoItself(location)
            }
    }
}
