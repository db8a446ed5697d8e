import CairnModel
import CairnStack
import CairnStore
import CairnThreads
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
    /// Stores are opened in parallel, and each can be used as soon as it is open: a store that takes long,
    /// or that cannot be opened, has no influence on the others. When this method returns, all stores that
    /// are not added asynchronously have been opened, and the handler has been called for them on the
    /// calling thread, in the order of the descriptions. For the other stores, the handler is called on
    /// `queue`. The container's own directory is created if it is missing. A store in another missing folder
    /// is not opened, and its error is `.store(.folderMissing)`.
    ///
    /// The order of ``PersistentStoreCoordinator/persistentStores`` is that of the descriptions, whichever
    /// store is open first. It decides which store takes a new object that several stores accept: see
    /// ``ManagedObjectContext/assign(_:to:)``.
    ///
    /// Stores that have to be migrated are opened after the others, and either all of them are migrated
    /// or none of them. If one of them cannot be migrated, or another store cannot be opened, the
    /// handler gets that error for all of them, and they remain unchanged. Stores that are added
    /// asynchronously are migrated separately from the others.
    ///
    /// The method can be called again after a failure: for a store that is already open, the handler is
    /// called without an error. A store that several descriptions describe in the same way is opened once.
    /// If a class of the container does not fit its entity, no store is opened, and the error is
    /// `.classDoesNotFit`.
    ///
    /// - Parameters:
    ///   - queue: The queue on which the handler is called for stores that are added asynchronously.
    ///   - completionHandler: Takes a description and the error that kept its store from being opened,
    ///     or `nil` if the store is open.
    public func loadPersistentStores(
        callingBackOn queue: DispatchQueue,
        completionHandler: @escaping @Sendable (PersistentStoreDescription, GraphError?) -> Void
    ) {
        let all = plannedLoadings()
        let asynchronous = all.filter(\.description.shouldAddStoreAsynchronously)
        if !asynchronous.isEmpty {
            Task {
                await self.load(asynchronous) { description, failure in
                    queue.async { completionHandler(description, failure) }
                }
            }
        }
        let loadings = attemptAll(all.filter { !$0.description.shouldAddStoreAsynchronously })
        let failure = loadings.lazy.compactMap(\.failure).first
        for loading in finished(loadings, unless: failure) {
            loading.report(to: completionHandler)
        }
    }

    /// Opens the described stores on background threads, and returns when all of them are open.
    ///
    /// Stores are opened in parallel, and each can be used as soon as it is open. The order of
    /// ``PersistentStoreCoordinator/persistentStores`` is that of the descriptions, whichever store is open
    /// first.
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
        await load(plannedLoadings()) { description, failure in
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
        _ loadings: [StoreLoading],
        _ report: @escaping @Sendable (PersistentStoreDescription, GraphError?) -> Void
    ) async {
        let (waiting, failure) = await withTaskGroup(of: StoreLoading.self) { group in
            for loading in loadings {
                group.addTask {
                    await self.executor.runWaiting { self.attemptUnlessCancelled(loading) }
                }
            }
            var waiting: [StoreLoading] = []
            var failure: GraphError?
            for await loading in group {
                if loading.migration == nil {
                    failure = failure ?? loading.failure
                    loading.report(to: report)
                } else {
                    waiting.append(loading)
                }
            }
            return (waiting, failure)
        }
        if waiting.isEmpty { return }
        for loading in await executor.runWaiting({ self.finished(waiting, unless: failure) }) {
            loading.report(to: report)
        }
    }

    // MARK: Steps

    /// Returns the loadings of all described stores, with reserved positions in the order of the descriptions.
    /// A store that several descriptions describe in the same way is opened once.
    private func plannedLoadings() -> [StoreLoading] {
        var stores: [[PersistentStoreDescription]] = []
        for description in persistentStoreDescriptions {
            if let index = stores.firstIndex(where: { $0[0].opensSameStore(as: description) }) {
                stores[index].append(description)
            } else {
                stores.append([description])
            }
        }
        let positions = persistentStoreCoordinator.reservePositions(for: stores.map { $0[0] })
        return zip(stores, positions).map { StoreLoading(descriptions: $0, position: $1) }
    }

    private func attemptUnlessCancelled(_ loading: StoreLoading) -> StoreLoading {
        if Task.isCancelled { return failed(loading, .openingCancelled) }
        return attempt(loading)
    }

    /// Opens stores in parallel, except for those that have to be migrated. The calling thread opens the
    /// first store.
    private func attemptAll(_ loadings: [StoreLoading]) -> [StoreLoading] {
        guard let first = loadings.first else { return [] }
        let results = Mutex(loadings)
        let others = DispatchGroup()
        for (index, loading) in loadings.enumerated().dropFirst() {
            DispatchQueue.global(qos: .userInitiated).async(group: others) {
                let result = self.attempt(loading)
                results.withLock { $0[index] = result }
            }
        }
        let result = attempt(first)
        TurnExecutor.whileWaiting { others.wait() }
        return results.withLock { results in
            results[0] = result
            return results
        }
    }

    /// Opens one store, unless the store has to be migrated.
    private func attempt(_ loading: StoreLoading) -> StoreLoading {
        if persistentStoreCoordinator.isTaken(loading.position) { return loading }
        do throws(GraphError) {
            if let modelFailure { throw modelFailure }
            try objectClasses.check(against: persistentStoreCoordinator.managedObjectModel)
            try makeFolder(of: loading.description)
            var loading = loading
            loading.migration = try persistentStoreCoordinator.addUnlessToMigrate(
                loading.description, at: loading.position)
            return loading
        } catch {
            return failed(loading, error)
        }
    }

    private func failed(_ loading: StoreLoading, _ failure: GraphError) -> StoreLoading {
        persistentStoreCoordinator.release(loading.position)
        var loading = loading
        loading.failure = failure
        return loading
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
                try persistentStoreCoordinator.addStore(
                    with: loading.description, at: loading.position)
            }
            if let result { return failed(loading, result) }
            return loading
        }
    }

    private static func failure(of body: () throws(GraphError) -> Void) -> GraphError? {
        do {
            try body()
            return nil
        } catch {
            return error
        }
    }

    /// Creates the container's own directory for a store in it. Other folders are left to the program, because a
    /// misspelt path would otherwise give an empty store.
    private func makeFolder(of description: PersistentStoreDescription) throws(GraphError) {
        guard let url = description.url, url.isFileURL, !description.isReadOnly,
            url.deletingLastPathComponent().standardizedFileURL.path
                == directory.standardizedFileURL.path
        else { return }
        do {
            try StoreLocation.file(url).makeFolder()
        } catch {
            throw GraphError(ofStore: error)
        }
    }
}

/// The progress of loading one store: the store is open, has failed, or has to be migrated first.
private struct StoreLoading: Sendable {
    /// The descriptions of the store, usually one.
    let descriptions: [PersistentStoreDescription]
    let position: StorePosition
    var failure: GraphError?
    var migration: PendingMigration?

    /// The description that the store is opened for.
    var description: PersistentStoreDescription { descriptions[0] }

    func report(to handler: (PersistentStoreDescription, GraphError?) -> Void) {
        for description in descriptions { handler(description, failure) }
    }
}

extension PersistentStoreDescription {
    fileprivate func opensSameStore(as other: PersistentStoreDescription) -> Bool {
        if self === other { return true }
        guard let url, !url.isNullDevice, let otherURL = other.url else { return false }
        return url.resolvedForComparison == otherURL.resolvedForComparison
            && (storeType ?? "SQLite") == (other.storeType ?? "SQLite")
            && (configuration, isReadOnly) == (other.configuration, other.isReadOnly)
    }
}
