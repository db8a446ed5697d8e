import CairnGraph
import CairnStore
import CairnStoreCopying
import Foundation

extension StoreCopier {
    /// Copies the newest state of the source. Later saves to the source are not copied.
    ///
    /// - Parameter report: called after each batch, on the calling thread. Its result decides whether
    ///   to continue.
    /// - Returns: how much was copied.
    /// - Throws: `.copyCancelled`, `.destinationExists`; `.copyWouldNotLast`, `.keepsNoFiles`,
    ///   `.copyOntoItself` if source and destination are one file; `.store`: `.unsupportedValue` for a
    ///   value that the engine cannot store, `.externalDataMissing` for a value whose file is missing
    ///   unless ``allowsMissingExternalData`` is set, and the errors of `open`, reads and saves of both
    ///   engines. The destination is then unchanged.
    @discardableResult
    public func copy(
        _ source: any PersistentStore, to url: URL,
        reporting report: (StoreCopyProgress) -> StoreCopyDecision = { _ in .goOn }
    ) throws(GraphError) -> StoreCopyProgress {
        do throws(StoreCopyError) {
            return try makeCopy(of: source, at: .file(url), reporting: report)
        } catch {
            throw GraphError(ofCopy: error)
        }
    }
}
