import CairnFiles
import CairnStore

/// How the states of a store are kept on disk: one file, or a folder of files.
package protocol StoredForm: Sendable {
    /// The engine's type.
    var type: StoreType { get }

    /// Reads the state that is at the place.
    ///
    /// - Throws: `.notFound`, `.notAStore`, `.modelMismatch`, `.unsupported`, `.corrupt`,
    ///   `.fileFailure`.
    func load(
        _ file: DurableFile, _ schema: TableSchema, _ request: OpenRequest
    ) throws(StoreError) -> LoadedStore

    /// Writes a state beside the place, durably; nobody sees it.
    ///
    /// - Throws: `.unsupportedValue`, `.fileFailure`.
    func prepare(
        _ content: AtomicContent, as file: DurableFile
    ) throws(StoreError) -> PendingFile
}

/// A state that was read, and what tells whether another one has taken its place.
package struct LoadedStore: Sendable {
    var content: AtomicContent
    let held: HeldFile
    let stamp: FileStamp
}
