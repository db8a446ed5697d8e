import CairnStore

/// Why a store could not be copied, moved or replaced.
///
/// Programs get it as a `GraphError`, whose cases say the same.
package enum StoreCopyError: Error {
    /// A store, its engine or the system refused.
    case store(StoreError)
    /// Something exists at the location at which a store was to be created. Nothing was changed.
    case destinationExists(StoreLocation)
    /// The caller cancelled the copy to this location. Nothing was left.
    case cancelled(StoreLocation)
    /// Stores of the copy's engine are gone with the process.
    case wouldNotLast(StoreType)
    /// Stores of the copy's engine are not files.
    case keepsNoFiles(StoreType)
    /// The source is at the destination.
    case ontoItself(StoreLocation)

    /// Creates the error of a copy or a migration whose store threw `error`.
    ///
    /// - Parameter location: where the copy was to be made, or the store was to be migrated.
    init(_ error: StoreError, at location: StoreLocation) {
        self = if case .cancelled = error { .cancelled(location) } else { .store(error) }
    }
}
