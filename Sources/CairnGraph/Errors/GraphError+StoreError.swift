import CairnStore

// Engines, and what this module does with them, throw `StoreError`. Only the files that the graph calls make
// graph errors of them; `ErrorBoundaryTests` lists these files.

extension GraphError {
    /// Creates the error of a call whose store threw `error`: a predicate that cannot be evaluated becomes
    /// `.predicate`, and the end of a cancelled task becomes `.fetchCancelled`.
    package init(ofStore error: StoreError) {
        self =
            switch error {
            case .predicate(let error): .predicate(error)
            case .cancelled: .fetchCancelled
            default: .store(error)
            }
    }

    /// Creates the error of a save whose store threw `error`.
    init(ofSave error: StoreError) {
        self = if case .cancelled = error { .saveCancelled } else { GraphError(ofStore: error) }
    }

    /// Creates the error of opening a store that threw `error`.
    init(ofOpening error: StoreError) {
        self = if case .cancelled = error { .openingCancelled } else { GraphError(ofStore: error) }
    }
}
