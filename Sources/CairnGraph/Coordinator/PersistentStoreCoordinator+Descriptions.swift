import CairnStore
import Dispatch
import Foundation

extension PersistentStoreCoordinator {
    /// Opens a described store and adds it, on the calling thread.
    ///
    /// `shouldAddStoreAsynchronously` has no effect here, because the call returns the store.
    ///
    /// - Throws: as `addPersistentStore(ofType:configurationName:at:options:)`; without a type,
    ///   `.store`: `.unrecognized`, `.fileFailure`.
    @discardableResult
    public func addPersistentStore(
        with description: PersistentStoreDescription
    ) throws(GraphError) -> any PersistentStore {
        let (type, options) = try typeAndOptions(of: description)
        return try addPersistentStore(
            ofType: type, configurationName: description.configuration,
            at: description.url, options: options)
    }

    /// Opens a described store and adds it, unless it has to be migrated first.
    ///
    /// - Returns: what has to be migrated; `nil` if the store was added.
    /// - Throws: as ``addPersistentStore(with:)``.
    func addUnlessToMigrate(
        _ description: PersistentStoreDescription
    ) throws(GraphError) -> PendingMigration? {
        let (type, options) = try typeAndOptions(of: description)
        let opener = try opener(type, description.configuration, description.url, options)
        let resolvedLocation = try beginOpening(opener.request.location)
        defer { endOpening(resolvedLocation) }
        switch try opener.attempt() {
        case .opened(let opened):
            try add(opened, opener.options)
            return nil
        case .needsMigration(let migration): return migration
        }
    }

    private func typeAndOptions(
        of description: PersistentStoreDescription
    ) throws(GraphError) -> (StoreType, StoreOptions) {
        do throws(StoreError) {
            let type = try type(of: description)
            let known = try engine(ofType: type, at: description.url).capabilities.options
            return (type, try description.allOptions(known: known))
        } catch {
            throw GraphError(ofStore: error)
        }
    }

    /// Opens a described store, adds it, and calls back.
    ///
    /// A store that is not to be added asynchronously is open, and its callback made on the calling
    /// thread, when this returns. Another one is opened on a background thread, and its callback made on
    /// the main queue. So a handler of the main actor need not be `Sendable`: it is always called there.
    ///
    /// - Parameter completionHandler: takes the description, and why its store is not open, or `nil`. If
    ///   the store is added asynchronously, the handler is called on the main queue.
    public func addPersistentStore(
        with description: PersistentStoreDescription,
        completionHandler: @escaping (PersistentStoreDescription, GraphError?) -> Void
    ) {
        let handler = LoadingHandler(completionHandler)
        guard description.shouldAddStoreAsynchronously else {
            return handler.call(description, failure(ofAdding: description))
        }
        DispatchQueue.global(qos: .userInitiated).async {
            let failure = self.failure(ofAdding: description)
            DispatchQueue.main.async { handler.call(description, failure) }
        }
    }

    private func failure(ofAdding description: PersistentStoreDescription) -> GraphError? {
        do throws(GraphError) {
            try addPersistentStore(with: description)
            return nil
        } catch {
            return error
        }
    }

    private func type(of description: PersistentStoreDescription) throws(StoreError) -> StoreType {
        if let type = description.storeType { return type }
        guard let url = description.url, url.isFileURL, !url.isNowhere else { return "SQLite" }
        do throws(StoreError) {
            return try registry.type(ofStoreAt: .file(url.standardizedFileURL))
        } catch .notFound {
            return "SQLite"
        } catch {
            throw error
        }
    }
}
