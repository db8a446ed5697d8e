import CairnStore

/// What one store takes of a save over several stores.
package struct SavePart {
    /// The store, opened for writing, and a file.
    package var store: any PersistentStore
    /// The file beside it.
    package var file: PendingSaveFile
    /// The store's own identifier.
    package var identifier: String
    /// All that it is asked to save, named by the save's ID.
    package var request: SaveRequest

    /// Names a store and its part.
    package init(
        store: any PersistentStore, file: PendingSaveFile, identifier: String, request: SaveRequest
    ) {
        self.store = store
        self.file = file
        self.identifier = identifier
        self.request = request
    }
}
