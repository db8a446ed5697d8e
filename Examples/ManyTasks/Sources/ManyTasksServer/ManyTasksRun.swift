import Cairn
import Foundation

/// Receives the events of a run, to measure them.
public protocol RunObserver: Sendable {
    /// The server starts to answer requests.
    func didBegin(_ container: PersistentContainer)
    /// The server has answered a request, possibly with an error.
    func didAnswer(_ request: Request, after time: Duration, failure: (any Error)?)
    /// The server has ended.
    func didEnd()
}

/// Runs clients that read and write for a time, shuts the server down cleanly, and checks the stored data.
public struct ManyTasksRun: Sendable {
    private static let accounts: Int64 = 100
    /// One in this number of requests has a deadline that is often missed.
    private static let impatientShare = 50

    /// The engine of the store.
    public var engine: StoreType
    /// The time for which the server answers requests.
    public var duration: Duration
    /// The number of clients that read.
    public var readers: Int
    /// The number of clients that write.
    public var writers: Int
    /// The limits of the server.
    public var limits = ServerLimits()
    /// The deadline after which requests are cancelled.
    public var deadline: Duration = .seconds(10)
    /// The deadline for requests of impatient clients.
    public var shortDeadline: Duration = .milliseconds(1)

    /// Creates a run with the default limits and deadlines.
    public init(engine: StoreType, duration: Duration, readers: Int, writers: Int) {
        (self.engine, self.duration) = (engine, duration)
        (self.readers, self.writers) = (readers, writers)
    }

    /// Runs the server and its clients on a new store in the folder.
    ///
    /// - Returns: The accounts whose stored writes differ from the acknowledged ones.
    public func run(
        in folder: URL, observer: some RunObserver
    ) async throws -> [Ledger.Mismatch] {
        let ledger = Ledger(accounts: Self.accounts)
        let found = try await serve(in: folder, noting: ledger, observer)
        // An in-memory store ended with its container.
        if engine == .inMemory { return found }
        return try await ledger.mismatches(in: container(in: folder))
    }

    /// Runs the server and the comparison for an in-memory store. The server's container ends with this
    /// function.
    private func serve(
        in folder: URL, noting ledger: Ledger, _ observer: some RunObserver
    ) async throws -> [Ledger.Mismatch] {
        let container = try await container(in: folder)
        try await container.performBackgroundTask { context in
            for number in 0..<Self.accounts {
                let account = try context.insert(Account.self)
                (account.number, account.writes) = (number, 0)
            }
            try context.save()
        }
        let server = Server(container: container, limits: limits)
        observer.didBegin(container)
        let serving = Task { await server.run() }
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<(readers + writers) {
                group.addTask { await client(number, of: server, ledger, observer) }
            }
            try? await Task.sleep(for: duration)
            // Cancels the requests in progress, waits for them, and accepts no others.
            serving.cancel()
            await serving.value
        }
        observer.didEnd()
        return try await ledger.mismatches(in: container)
    }

    private func container(in folder: URL) async throws -> PersistentContainer {
        let executor = TurnExecutor(name: "accounts", limits: limits.threads)
        let container = PersistentContainer(
            name: "Accounts", managedObjectModel: try Account.model,
            classes: ObjectClasses([Account.self]), executor: executor)
        let file = engine == .inMemory ? nil : folder.appending(path: "Accounts.store")
        container.persistentStoreDescriptions = [
            PersistentStoreDescription(type: engine, url: file)
        ]
        try await container.loadPersistentStores()
        return container
    }

    // MARK: Clients

    /// Sends one request after another until the server is closed.
    private func client(
        _ number: Int, of server: Server, _ ledger: Ledger, _ observer: some RunObserver
    ) async {
        var sent = 0
        while true {
            sent += 1
            let request = request(sent, ofClient: number)
            let isImpatient = sent.isMultiple(of: Self.impatientShare)
            let start = ContinuousClock.now
            var failure: (any Error)?
            do {
                _ = try await server.answer(
                    request, within: isImpatient ? shortDeadline : deadline)
                if case .write(let account) = request { ledger.note(account) }
            } catch {
                failure = error
            }
            if case RequestError.closed? = failure { return }
            observer.didAnswer(request, after: start.duration(to: .now), failure: failure)
            // A client that is told to try again later waits for a short time.
            if case RequestError.busy? = failure { try? await Task.sleep(for: .milliseconds(2)) }
        }
    }

    private func request(_ sent: Int, ofClient number: Int) -> Request {
        if number >= readers { return .write(account: .random(in: 0..<Self.accounts)) }
        if sent.isMultiple(of: 4) { return .countWritten }
        return .read(first: .random(in: 0..<Self.accounts), count: 10)
    }
}
