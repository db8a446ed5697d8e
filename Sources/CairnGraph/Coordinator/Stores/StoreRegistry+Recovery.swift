import CairnSaveJournal
import CairnStore

extension StoreRegistry {
    /// Returns what finishes interrupted saves over several stores, of which the requested one is one.
    func recovery(for request: OpenRequest, _ options: CoordinatorOptions) -> SaveRecovery {
        let registry = self
        // The engine refuses a timeout that is none.
        let timeout = (try? request.options.timeout()) ?? .zero
        return SaveRecovery(overridesDoubt: options.overridesSaveInDoubt, timeout: timeout) {
            type, location throws(StoreError) in
            do throws(StoreError) {
                return try registry.fileEngine(ofType: type, for: location)
            } catch {
                // Registered under another name here.
                guard let engine = registry.engine(recognizing: location) else { throw error }
                return engine
            }
        }
    }
}
