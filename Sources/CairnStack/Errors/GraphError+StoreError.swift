import CairnStore

// Engines, and the parts of this module that work with them, throw `StoreError`. Only the files that are
// called by the object graph convert them to `GraphError`. `ErrorBoundaryTests` lists these files.

extension GraphError {
    /// Creates the error of a call whose store threw `error`. A predicate that cannot be evaluated
    /// becomes `.predicate`, and a cancellation becomes `.fetchCancelled`.
    package init(ofStore error: StoreError) {
        self =
            switch error {
            case .predicate(let error): .predicate(error)
            case .cancelled: .fetchCancelled
            default: .store(error)
            }
    }

    /// Creates the error of a save whose store threw `error`. A cancellation becomes `.saveCancelled`.
    init(ofSave error: StoreError) {
        self = if case .cancelled = error { .saveCancelled } else { GraphError(ofStore: error) }
    }

    /// Creates the error of opening a store that threw `error`. A cancellation becomes
    /// `.openingCancelled`.
    init(ofOpening error: StoreError) {
        self = if case .cancelled = error { .openingCancelled } else { GraphError(ofStore: error) }
    }
}
