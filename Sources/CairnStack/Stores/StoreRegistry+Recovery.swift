import CairnSaveJournal
import CairnStore

extension StoreRegistry {
    /// Returns an object that finishes interrupted saves to several stores, including the requested
    /// store.
    ///
    /// - Parameter monitor: Reports the saves that were finished.
    func recovery(
        for request: OpenRequest, _ options: CoordinatorOptions, _ monitor: OperationMonitor
    ) -> SaveRecovery {
        let registry = self
        // The engine reports an invalid timeout.
        let timeout = (try? request.options.timeout()) ?? .zero
        return SaveRecovery(
            overridesDoubt: options.overridesSaveInDoubt, timeout: timeout,
            whenFinished: { monitor.noteRecoveredSave(ledToBy: $0, without: $1) }
        ) { type, location throws(StoreError) in
            do throws(StoreError) {
                return try registry.fileEngine(ofType: type, for: location)
            } catch {
                // The engine may be registered under another name.
                guard let engine = registry.engine(recognizing: location) else { throw error }
                return engine
            }
        }
    }
}
