import CairnStore

/// The reason why a store could not be copied, moved or replaced.
///
/// Programs receive it as a `GraphError`, which has cases with the same meaning.
package enum StoreCopyError: Error {
    /// A store, its engine or the operating system caused the failure.
    case store(StoreError)
    /// Something exists at the location at which a store was to be created. Nothing was changed.
    case destinationExists(StoreLocation)
    /// The caller cancelled the copy to this location. Nothing was left.
    case cancelled(StoreLocation)
    /// Stores of the copy's engine do not outlive the process.
    case wouldNotLast(StoreType)
    /// Stores of the copy's engine are not files.
    case storesAreNotFiles(StoreType)
    /// The source and the destination are the same store.
    case ontoItself(StoreLocation)

    /// Creates the error of a copy or a migration during which a store threw `error`.
    ///
    /// - Parameter location: the location of the copy, or of the store that was being migrated.
    init(_ error: StoreError, at location: StoreLocation) {
        self = if case .cancelled = error { .cancelled(location) } else { .store(error) }
    }
}
