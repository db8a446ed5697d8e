import CairnModel
import CairnStore
import Dispatch
import Foundation

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
    /// Stores are opened one after the other. Those not to be added asynchronously are open, and
    /// their callbacks made on the calling thread, when this returns; the others are opened on
    /// background threads, and their callbacks made on the queue. A store that fails keeps no other
    /// from being opened. The folder of a store is made where it is missing.
    ///
    /// A store that is open already is called back for without an error, so this can be called
    /// again after a failure.
    ///
    /// - Parameters:
    ///   - queue: where callbacks for stores added asynchronously are made.
    ///   - completionHandler: takes the description, and why its store is not open; nil: it is.
    public func loadPersistentStores(
        callingBackOn queue: DispatchQueue,
        completionHandler: @escaping @Sendable (PersistentStoreDescription, GraphError?) -> Void
    ) {
        let descriptions = persistentStoreDescriptions
        for description in descriptions where description.shouldAddStoreAsynchronously {
            DispatchQueue.global(qos: .userInitiated).async {
                let failure = self.load(description)
                queue.async { completionHandler(description, failure) }
            }
        }
        for description in descriptions where !description.shouldAddStoreAsynchronously {
            completionHandler(description, load(description))
        }
    }

    /// Opens the described stores on background threads, and returns when all are open.
    ///
    /// - Throws: why a store could not be opened, as `addPersistentStore` says; `.loading`, with
    ///   each of them, where that are several. The others are open. `.openingCancelled` if the task
    ///   was cancelled before a store was open; a store is added whole or not at all.
    public func loadPersistentStores() async throws(GraphError) {
        let failures = await withTaskGroup(of: StoreLoadingFailure?.self) { group in
            for description in persistentStoreDescriptions {
                group.addTask {
                    await self.executor.runWaiting { self.loadUnlessCancelled(description) }
                        .map { StoreLoadingFailure(description: description, reason: $0) }
                }
            }
            var failures: [StoreLoadingFailure] = []
            for await case let failure? in group { failures.append(failure) }
            return failures
        }
        guard let first = failures.first else { return }
        if failures.count == 1 { throw first.reason }
        throw .loading(failures)
    }

    private func loadUnlessCancelled(_ description: PersistentStoreDescription) -> GraphError? {
        if Task.isCancelled { return .openingCancelled }
        return load(description)
    }

    /// Opens one store; returns why it could not be, nil where it is open.
    private func load(_ description: PersistentStoreDescription) -> GraphError? {
        do throws(GraphError) {
            if let url = description.url, isOpen(description, at: url) { return nil }
            try makeFolder(of: description)
            try persistentStoreCoordinator.addPersistentStore(with: description)
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
        try GraphError.translating { () throws(StoreError) in
            try StoreLocation.file(url).makeFolder()
        }
    }
}
