import CairnStore

/// The part of a save over several stores that one store receives.
package struct SavePart {
    /// The store, which is a file and is open for writing.
    package var store: any PersistentStore
    /// The file of the save beside the store.
    package var file: PendingSaveFile
    /// The identifier of the store.
    package var identifier: String
    /// The request for the store. Its name is the ID of the save.
    package var request: SaveRequest

    /// Creates a part.
    package init(
        store: any PersistentStore, file: PendingSaveFile, identifier: String, request: SaveRequest
    ) {
        self.store = store
        self.file = file
        self.identifier = identifier
        self.request = request
    }
}
