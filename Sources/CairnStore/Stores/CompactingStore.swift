/// An engine whose files keep the space of removed objects for later saves, so that they do not become
/// smaller.
package protocol CompactingStore: FileStore {
    /// Writes a copy of a store's main file without free space to a new file.
    ///
    /// The copy has everything that the main file has: the identifier, the objects with their keys and
    /// versions, and what the engine or other programs keep in the file. It is not made durable. The
    /// store is not changed.
    ///
    /// - Parameters:
    ///   - copy: the location of the new file. Its folder exists.
    ///   - location: the store.
    /// - Precondition: the caller has exclusive use of the store.
    /// - Throws: `.corrupt`, `.spaceMissing`, `.fileFailure`, `.engineFailure`.
    static func writeCompactCopy(
        at copy: StoreLocation, of location: StoreLocation
    ) throws(StoreError)
}
