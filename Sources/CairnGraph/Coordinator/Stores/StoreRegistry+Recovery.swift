import CairnSaveJournal
import CairnStore

extension StoreRegistry {
    /// Returns an object that finishes interrupted saves over several stores, one of which is the
    /// requested store.
    func recovery(for request: OpenRequest, _ options: CoordinatorOptions) -> SaveRecovery {
        let registry = self
        // An invalid timeout is reported by the engine.
        let timeout = (try? request.options.timeout()) ?? .zero
        return SaveRecovery(overridesDoubt: options.overridesSaveInDoubt, timeout: timeout) {
            type, location throws(StoreError) in
            do throws(StoreError) {
                return try registry.fileEngine(ofType: type, for: location)
            } catch {
                // The engine is registered under another name here.
                guard let engine = registry.engine(recognizing: location) else { throw error }
                return engine
            }
        }
    }
}
