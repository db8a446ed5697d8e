import CairnModel
import CairnStore

/// Why a store could not be copied, moved or replaced.
///
/// Programs get it as a `GraphError`, whose cases say the same.
package enum StoreCopyError: Error {
    /// A store, its engine or the system refused.
    case store(StoreError)
    /// The source's model lacks the configuration that the source was opened with.
    case model(ModelError)
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

    /// Runs the body; what a store refuses is thrown as `.store`.
    static func translating<Result>(
        _ body: () throws(StoreError) -> Result
    ) throws(StoreCopyError) -> Result {
        do {
            return try body()
        } catch {
            throw .store(error)
        }
    }

    /// Runs the body; what a model refuses is thrown as `.model`.
    static func translating<Result>(
        _ body: () throws(ModelError) -> Result
    ) throws(StoreCopyError) -> Result {
        do {
            return try body()
        } catch {
            throw .model(error)
        }
    }
}
