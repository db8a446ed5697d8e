import CairnStack
import CairnStoreCopying

extension GraphError {
    /// Creates the error that corresponds to the error of copying, moving or replacing a store.
    init(ofCopy error: StoreCopyError) {
        self =
            switch error {
            case .store(let error): GraphError(ofStore: error)
            case .destinationExists(let location): .destinationExists(location)
            case .cancelled(let location): .copyCancelled(location)
            case .wouldNotLast(let type): .destinationNotDurable(type)
            case .storesAreNotFiles(let type): .storesAreNotFiles(type)
            case .ontoItself(let location): .copyOntoItself(location)
            }
    }
}
