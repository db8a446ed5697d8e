/// A committed state of a store, held so that it can be written to a new file while saves go on.
///
/// It does not keep anyone from saving, unless a snapshot of the store would
/// (``StoreSnapshot/keepsOthersFromSaving()``). The state is held until the object is released or the
/// store is closed.
public protocol StateToCopy: AnyObject, Sendable {
    /// The number of bytes that ``write(to:reporting:)`` is expected to write.
    var byteCount: Int64 { get }

    /// Writes the state to a new store of the same engine. Later saves are not in it.
    ///
    /// The new store has the identifier, the metadata, the names of saves, the history, and every object
    /// with its key, version and external data. It assigns no key that the store had assigned before the
    /// state was taken. It is closed and consists of its main file and its data files. It need not
    /// be durable yet. No file is left at the location if this method throws an error. But if a store exists
    /// there, an error is thrown, and that store and its history stay as they are.
    ///
    /// Memory does not grow with the number of objects, unless the engine holds its stores in memory.
    ///
    /// - Parameters:
    ///   - location: the location of the new store. Its folder exists.
    ///   - report: called on the calling thread, at least once, with the number of bytes written so
    ///     far. If it throws an error, the copy ends with that error.
    /// - Throws: `.closed`, `.corrupt`, `.fileFailure`, `.spaceMissing`, `.engineFailure`; the error
    ///   of `report`.
    func write(
        to location: StoreLocation, reporting report: (Int64) throws(StoreError) -> Void
    ) throws(StoreError)
}
