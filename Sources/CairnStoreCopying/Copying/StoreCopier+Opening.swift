import CairnStore
import Foundation

extension StoreCopier {
    /// Copies the newest state of the source to the location of the request, and opens the copy.
    /// The engine of the copy need not keep files.
    ///
    /// - Parameters:
    ///   - source: the open store to copy.
    ///   - request: the request with which the copy is opened. Its options are the copier's
    ///     options.
    ///   - report: called after each batch, on the calling thread. Its result decides whether to
    ///     continue.
    /// - Throws: the errors of ``makeCopy(of:at:reporting:)``. Nothing is left at the location
    ///   then.
    package func openCopy(
        of source: any PersistentStore, as request: OpenRequest,
        reporting report: (StoreCopyProgress) -> StoreCopyDecision
    ) throws(StoreCopyError) -> any PersistentStore {
        if request.location.service != nil {
            // A failed copy would leave part of a store there.
            throw .store(
                .unsupported(
                    request.location,
                    feature: "a service as its location, to which a store cannot be copied",
                    advice: "Add the service's store, and save the objects to it."))
        }
        let isFile = request.location.fileURL != nil && engine is any FileStore.Type
        if isFile { _ = try makeCopy(of: source, at: request.location, reporting: report) }
        let copy: any PersistentStore
        do throws(StoreError) {
            copy = try engine.open(request)
        } catch {
            if isFile { removeCopy(at: request.location) }
            throw .store(error)
        }
        if isFile { return copy }
        do throws(StoreError) {
            var filling = try StoreFilling(
                of: copy, from: source, allowsMissingExternalData: allowsMissingExternalData,
                allowsUnexplainedValues: allowsUnexplainedValues)
            _ = try filling.run(report)
        } catch {
            try? copy.close()
            throw StoreCopyError(error, at: request.location)
        }
        return copy
    }

    /// Removes a copy that has just been created and is closed.
    package func removeCopy(at location: StoreLocation) {
        guard let url = location.fileURL, let engine = engine as? any FileStore.Type else { return }
        try? StoreFileSet(engine, at: url).remove()
    }
}
