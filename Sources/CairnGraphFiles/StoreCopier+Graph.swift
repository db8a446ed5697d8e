import CairnGraph
import CairnStore
import CairnStoreCopying
import Foundation

extension StoreCopier {
    /// Copies the newest state of the source. Saves to the source meanwhile do not come along.
    ///
    /// - Parameter report: told after each batch, on the calling thread; decides whether to go on.
    /// - Returns: how much was copied.
    /// - Throws: `.copyCancelled`, `.destinationExists`; `.copyWouldNotLast`, `.keepsNoFiles`, `.copyOntoItself` where
    ///   source and destination are one file; `.store`: `.unsupportedValue` for a value that
    ///   the engine does not keep, `.externalDataMissing` for a value whose file is not there unless
    ///   ``allowsMissingExternalData`` is set, and what either engine's `open`, reads and saves throw. The
    ///   destination is as it was.
    @discardableResult
    public func copy(
        _ source: any PersistentStore, to url: URL,
        reporting report: (StoreCopyProgress) -> StoreCopyDecision = { _ in .goOn }
    ) throws(GraphError) -> StoreCopyProgress {
        try GraphError.translating { () throws(StoreCopyError) in
            try makeCopy(of: source, at: .file(url), reporting: report)
        }
    }
}
