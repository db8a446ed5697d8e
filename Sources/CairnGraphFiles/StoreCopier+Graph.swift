import CairnStack
import CairnStore
import CairnStoreCopying
import Foundation

extension StoreCopier {
    /// Copies the newest state of a store. Later saves to the source are not copied.
    ///
    /// - Parameters:
    ///   - source: The open store to copy. It is not changed.
    ///   - url: The file or folder of the copy, or its address if the engine's stores belong to a service. If
    ///     something exists there, `.destinationExists` is thrown.
    ///   - report: Called after each batch, on the calling thread. Its result decides whether to continue.
    /// - Returns: How much was copied.
    /// - Throws: `.copyCancelled`, `.destinationExists`; `.destinationNotDurable`, `.storesAreNotFiles`,
    ///   `.copyOntoItself` if source and destination are the same file; `.store` with
    ///   `.unsupportedValue` for a value that the engine cannot store, `.externalDataMissing` for a
    ///   value whose file is missing (unless ``allowsMissingExternalData`` is set), `.unsupported` for
    ///   values that the model does not explain (unless ``allowsUnexplainedValues`` is set),
    ///   `.historyUnavailable` if ``copiesHistory`` is set and the source keeps no history, or the errors of opening, reading and saving with both engines. The destination is then unchanged.
    @discardableResult
    public func copy(
        _ source: any PersistentStore, to url: URL,
        reporting report: (StoreCopyProgress) -> StoreCopyDecision = { _ in .proceed }
    ) throws(GraphError) -> StoreCopyProgress {
        do {
            return try makeCopy(of: source, at: StoreLocation(url, of: engine), reporting: report)
        } catch {
            throw GraphError(ofCopy: error)
        }
    }
}

extension GraphError {
    /// Creates the error that corresponds to the error of copying, moving or replacing a store.
    init(ofCopy error: StoreCopyError) {
        self =
            switch error {
            case .store(let error): GraphError(ofStore: error)
            case .destinationExists(let location): .destinationExists(location)
            case .cancelled(let location): .copyCancelled(location)
            case .wouldNotLast(let type): .destinationNotDurable(type)
            case .storesAreNotFiles(let type): .storesAreNotFiles(type)
            case .ontoItself(let location): .copyOntoItself(location)
            }
    }
}
