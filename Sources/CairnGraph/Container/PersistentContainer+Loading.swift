import CairnModel
import CairnStore
import Dispatch
import Foundation
import Synchronization

extension PersistentContainer {
    /// Opens the described stores, and calls back once for each with the error, if there was one.
    ///
    /// As ``loadPersistentStores(callingBackOn:completionHandler:)`` with the main queue, for a handler
    /// that need not be `Sendable`: one of the main actor is always called there, if the caller is on
    /// the main actor, too.
    ///
    /// - Parameter completionHandler: takes the description, and why its store is not open, or `nil`.
    ///   Called on the calling thread; for stores added asynchronously, on the main queue.
    public func loadPersistentStores(
        completionHandler: @escaping (PersistentStoreDescription, GraphError?) -> Void
    ) {
        let handler = LoadingHandler(completionHandler)
        loadPersistentStores(callingBackOn: .main) { handler.call($0, $1) }
    }

    /// Opens the described stores, and calls back once for each with the error, if there was one.
    ///
    /// Stores are opened one after the other. When this returns, stores that are not added
    /// asynchronously are open, and their callbacks have been made on the calling thread. The others
    /// are opened on background threads, and their callbacks are made on the queue. A store that fails
    /// does not keep others from being opened. The folder of a store is created if it is missing.
    ///
    /// Stores that have to be migrated are opened after the others, and are migrated together or not at
    /// all: if one of them cannot be migrated, or another store cannot be opened, all of them get its error
    /// and stay as they are. Stores that are added asynchronously are migrated apart from those that are
    /// not.
    ///
    /// A store that is open already is called back for without an error, so this can be called
    /// again after a failure. No store is opened if a class of the container does not fit its entity:
    /// `.classDoesNotFit`.
    ///
    /// - Parameters:
    ///   - queue: where callbacks for stores added asynchronously are made.
    ///   - completionHandler: takes the description, and why its store is not open, or `nil`.
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

    /// Opens the described stores on background threads, and returns when all are open.
    ///
    /// Stores that have to be migrated are opened after the others, and are migrated together or not at
    /// all: not if another store cannot be opened, either.
    ///
    /// - Throws: `.classDoesNotFit` if a class of the container does not fit its entity; the error of
    ///   `addPersistentStore` if one store could not be opened; `.loading` with all errors if several
    ///   could not. The other stores are open. `.openingCancelled` if the task was cancelled before a
    ///   store was open. A store is added completely or not at all.
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

    /// Opens stores on background threads, and reports each as soon as it is open or has failed.
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

    /// Opens one store, unless it has to be migrated.
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

    /// Migrates the stores that have to be, and opens them. Returns all in the same order.
    ///
    /// - Parameter failure: of another store, which keeps them from being migrated.
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
                if let failure, !migration.canDoWithout(failure) { throw failure }
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
        guard let url = description.url, url.isFileURL, !url.isNowhere,
            !description.isReadOnly
        else { return }
        do throws(StoreError) {
            try StoreLocation.file(url).makeFolder()
        } catch {
            throw GraphError(ofStore: error)
        }
    }
}

/// How far the loading of one store has come: it is open, has failed, or has to be migrated first.
private struct StoreLoading: Sendable {
    var description: PersistentStoreDescription
    var failure: GraphError?
    var migration: PendingMigration?
}
