import CairnStore
import Dispatch
import Foundation

extension PersistentStoreCoordinator {
    /// Opens a described store on the calling thread, and adds it.
    ///
    /// Ignores `shouldAddStoreAsynchronously`, because the call returns the store.
    ///
    /// - Throws: The same errors as `addPersistentStore(ofType:configurationName:at:options:)`. If the
    ///   description has no type, also `.store` with `.unrecognized` or `.fileFailure`.
    @discardableResult
    public func addPersistentStore(
        with description: PersistentStoreDescription
    ) throws(GraphError) -> any PersistentStore {
        try addStore(with: description, at: StorePosition(for: description))
    }

    /// Opens a described store and adds it at a position. Otherwise the same as ``addPersistentStore(with:)``.
    @discardableResult
    package func addStore(
        with description: PersistentStoreDescription, at position: StorePosition
    ) throws(GraphError) -> any PersistentStore {
        try addStore(openedBy: opener(description), at: position)
    }

    /// Opens a described store and adds it at a position, unless the store has to be migrated first.
    ///
    /// - Returns: The migration that the store needs, or `nil` if the store was added.
    /// - Throws: The same errors as ``addPersistentStore(with:)``.
    package func addUnlessToMigrate(
        _ description: PersistentStoreDescription, at position: StorePosition
    ) throws(GraphError) -> PendingMigration? {
        let opener = try opener(description)
        let resolvedLocation = try beginOpening(opener.request.location)
        defer { endOpening(resolvedLocation) }
        return try measureOpening(opener) { () throws(GraphError) in
            switch try opener.attempt() {
            case .opened(let opened):
                try add(opened, opener.options, at: position)
                return nil
            case .needsMigration(let migration): return migration
            }
        }
    }

    private func opener(
        _ description: PersistentStoreDescription
    ) throws(GraphError) -> StoreOpener {
        let type: StoreType
        let options: StoreOptions
        do {
            type = try self.type(of: description)
            let known = try engine(ofType: type, at: description.url).capabilities.options
            options = try description.allOptions(known: known)
        } catch {
            throw GraphError(ofStore: error)
        }
        var opener = try opener(type, description.configuration, description.url, options)
        opener.historyExtension = description.historyExtension
        return opener
    }

    /// Opens a described store, adds it, and calls the handler.
    ///
    /// Unless the store is added asynchronously, the store is opened and the handler is called on the
    /// calling thread before this method returns. Otherwise, the store is opened on a background thread,
    /// and the handler is called on the main queue. Stores are in the order of the calls, not in the order
    /// in which they are opened. If the caller is on the main actor, all calls of the handler are, so the
    /// handler need not be `Sendable`.
    ///
    /// - Parameters:
    ///   - description: The store's location, type, configuration and options, and whether to add the
    ///     store asynchronously.
    ///   - completionHandler: Takes the description and the error that kept the store from being
    ///     opened, or `nil` if the store is open.
    public func addPersistentStore(
        with description: PersistentStoreDescription,
        completionHandler: @escaping (PersistentStoreDescription, GraphError?) -> Void
    ) {
        let handler = LoadingHandler(completionHandler)
        let position = reservePosition(for: description)
        guard description.shouldAddStoreAsynchronously else {
            return handler.call(description, failure(ofAdding: description, at: position))
        }
        DispatchQueue.global(qos: .userInitiated).async {
            let failure = self.failure(ofAdding: description, at: position)
            DispatchQueue.main.async { handler.call(description, failure) }
        }
    }

    private func failure(
        ofAdding description: PersistentStoreDescription, at position: StorePosition
    ) -> GraphError? {
        defer { release(position) }
        do {
            try addStore(with: description, at: position)
            return nil
        } catch {
            return error
        }
    }

    private func type(of description: PersistentStoreDescription) throws(StoreError) -> StoreType {
        if let type = description.storeType { return type }
        guard let url = description.url, url.isFileURL, !url.isNullDevice else { return "SQLite" }
        do {
            return try registry.type(ofStoreAt: .file(url.standardizedFileURL))
        } catch .notFound {
            return "SQLite"
        } catch {
            throw error
        }
    }
}
