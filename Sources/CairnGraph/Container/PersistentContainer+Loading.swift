import CairnModel
import CairnStore
import Dispatch
import Foundation
import Synchronization

extension PersistentContainer {
    /// Opens the described stores, and calls the handler once for each store.
    ///
    /// The same as ``loadPersistentStores(callingBackOn:completionHandler:)`` with the main queue,
    /// except that the handler need not be `Sendable`. If the caller is on the main actor, all calls of
    /// the handler are, so the handler may be isolated to the main actor.
    ///
    /// - Parameter completionHandler: Takes a description and the error that kept its store from being
    ///   opened, or `nil` if the store is open. Called on the calling thread, or on the main queue for
    ///   stores that are added asynchronously.
    public func loadPersistentStores(
        completionHandler: @escaping (PersistentStoreDescription, GraphError?) -> Void
    ) {
        let handler = LoadingHandler(completionHandler)
        loadPersistentStores(callingBackOn: .main) { handler.call($0, $1) }
    }

    /// Opens the described stores, and calls the handler once for each store.
    ///
    /// Stores are opened one after the other. When this method returns, all stores that are not added
    /// asynchronously have been opened, and the handler has been called for them on the calling thread.
    /// The other stores are opened on background threads, and the handler is called for them on `queue`.
    /// If one store cannot be opened, the others still are. The folder of a store is created if it is
    /// missing.
    ///
    /// Stores that have to be migrated are opened after the others, and either all of them are migrated
    /// or none of them. If one of them cannot be migrated, or another store cannot be opened, the
    /// handler gets that error for all of them, and they remain unchanged. Stores that are added
    /// asynchronously are migrated separately from the others.
    ///
    /// The method can be called again after a failure: for a store that is already open, the handler is
    /// called without an error. If a class of the container does not fit its entity, no store is opened,
    /// and the error is `.classDoesNotFit`.
    ///
    /// - Parameters:
    ///   - queue: The queue on which the handler is called for stores that are added asynchronously.
    ///   - completionHandler: Takes a description and the error that kept its store from being opened,
    ///     or `nil` if the store is open.
    public func loadPersistentStores(
        callingBackOn queue: DispatchQueue,
        completionHandler: @escaping @Sendable (PersistentStoreDescription, GraphError?) -> Void
    ) {
        let descriptions = persistentStoreDescriptions
        let asynchronous = descriptions.filter(\.shouldAddStoreAsynchronously)
        if !asynchronous.isEmpty {
            Task {
                await self.load(asynchronous) { description, failure in
                    queue.async { completionHandler(description, failure) }
                }
            }
        }
        let loadings = descriptions.filter { !$0.shouldAddStoreAsynchronously }.map(attempt)
        let failure = loadings.lazy.compactMap(\.failure).first
        for loading in finished(loadings, unless: failure) {
            completionHandler(loading.description, loading.failure)
        }
    }

    /// Opens the described stores on background threads, and returns when all of them are open.
    ///
    /// Stores that have to be migrated are opened after the others, and either all of them are migrated
    /// or none of them. They are not migrated if another store cannot be opened.
    ///
    /// - Throws: `.classDoesNotFit` if a class of the container does not fit its entity. If one store
    ///   could not be opened, the error of `addPersistentStore`; if several could not, `.loading` with
    ///   all errors. The other stores are open. `.openingCancelled` if the task was cancelled before a
    ///   store was open. Every store is either added completely or not at all.
    public func loadPersistentStores() async throws(GraphError) {
        let failures = Mutex<[StoreLoadingFailure]>([])
        await load(persistentStoreDescriptions) { description, failure in
            guard let failure else { return }
            failures.withLock {
                $0.append(StoreLoadingFailure(description: description, reason: failure))
            }
        }
        let found = failures.withLock { $0 }
        guard let first = found.first else { return }
        if found.count == 1 { throw first.reason }
        throw .loading(found)
    }

    /// Opens stores on background threads, and calls `report` for each store as soon as it is open or
    /// has failed.
    private func load(
        _ descriptions: [PersistentStoreDescription],
        _ report: @escaping @Sendable (PersistentStoreDescription, GraphError?) -> Void
    ) async {
        let (waiting, failure) = await withTaskGroup(of: StoreLoading.self) { group in
            for description in descriptions {
                group.addTask {
                    await self.executor.runWaiting { self.attemptUnlessCancelled(description) }
                }
            }
            var waiting: [StoreLoading] = []
            var failure: GraphError?
            for await loading in group {
                if loading.migration == nil {
                    failure = failure ?? loading.failure
                    report(loading.description, loading.failure)
                } else {
                    waiting.append(loading)
                }
            }
            return (waiting, failure)
        }
        if waiting.isEmpty { return }
        for loading in await executor.runWaiting({ self.finished(waiting, unless: failure) }) {
            report(loading.description, loading.failure)
        }
    }

    // MARK: Steps

    private func attemptUnlessCancelled(_ description: PersistentStoreDescription) -> StoreLoading {
        if Task.isCancelled {
            return StoreLoading(description: description, failure: .openingCancelled)
        }
        return attempt(description)
    }

    /// Opens one store, unless the store has to be migrated.
    private func attempt(_ description: PersistentStoreDescription) -> StoreLoading {
        do throws(GraphError) {
            if let url = description.url, isOpen(description, at: url) {
                return StoreLoading(description: description)
            }
            try objectClasses.check(against: persistentStoreCoordinator.managedObjectModel)
            try makeFolder(of: description)
            let migration = try persistentStoreCoordinator.addUnlessToMigrate(description)
            return StoreLoading(description: description, migration: migration)
        } catch {
            return StoreLoading(description: description, failure: error)
        }
    }

    /// Migrates and opens the stores that have to be migrated. Returns all loadings in the same order.
    ///
    /// - Parameter failure: The error of another store. If it is not `nil`, no store is migrated.
    private func finished(
        _ loadings: [StoreLoading], unless failure: GraphError?
    ) -> [StoreLoading] {
        let migrations = loadings.compactMap(\.migration)
        if migrations.isEmpty { return loadings }
        let failure = Self.failure { () throws(GraphError) in
            if let failure { throw failure }
            try persistentStoreCoordinator.migrate(migrations.map(\.store))
        }
        return loadings.map { loading in
            guard let migration = loading.migration else { return loading }
            let result = Self.failure { () throws(GraphError) in
                if let failure, !migration.canIgnore(failure) { throw failure }
                try persistentStoreCoordinator.addPersistentStore(with: loading.description)
            }
            return StoreLoading(description: loading.description, failure: result)
        }
    }

    private static func failure(of body: () throws(GraphError) -> Void) -> GraphError? {
        do throws(GraphError) {
            try body()
            return nil
        } catch {
            return error
        }
    }

    private func isOpen(_ description: PersistentStoreDescription, at url: URL) -> Bool {
        guard let store = persistentStoreCoordinator.persistentStore(for: url) else { return false }
        return store.configurationName == description.configuration
            && store.isReadOnly == description.isReadOnly
    }

    private func makeFolder(of description: PersistentStoreDescription) throws(GraphError) {
        guard let url = description.url, url.isFileURL, !url.isNullDevice,
            !description.isReadOnly
        else { return }
        do throws(StoreError) {
            try StoreLocation.file(url).makeFolder()
        } catch {
            throw GraphError(ofStore: error)
        }
    }
}

/// The progress of loading one store: the store is open, has failed, or has to be migrated first.
private struct StoreLoading: Sendable {
    var description: PersistentStoreDescription
    var failure: GraphError?
    var migration: PendingMigration?
}
