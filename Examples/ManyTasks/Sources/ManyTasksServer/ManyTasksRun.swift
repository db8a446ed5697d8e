import Cairn
import Foundation

/// Told of a run, for its measurements.
public protocol RunObserver: Sendable {
    /// The server begins to answer requests.
    func didBegin(_ container: PersistentContainer)
    /// The server has answered, with an error where there is one.
    func didAnswer(_ request: Request, after time: Duration, failure: (any Error)?)
    /// The server has ended.
    func didEnd()
}

/// Clients that read and write for a time, the server's clean shutdown, and a look at what is stored.
public struct ManyTasksRun: Sendable {
    private static let accounts: Int64 = 100
    /// Every so many requests of a client have a deadline that is often missed.
    private static let impatientShare = 50

    /// The engine of the store.
    public var engine: StoreType
    /// How long the server answers.
    public var duration: Duration
    /// How many clients read.
    public var readers: Int
    /// How many clients write.
    public var writers: Int
    /// The server's.
    public var limits = ServerLimits()
    /// After which requests are cancelled.
    public var deadline: Duration = .seconds(10)
    /// That of the requests of clients that soon give up.
    public var shortDeadline: Duration = .milliseconds(1)

    /// A run with the usual limits and deadlines.
    public init(engine: StoreType, duration: Duration, readers: Int, writers: Int) {
        (self.engine, self.duration) = (engine, duration)
        (self.readers, self.writers) = (readers, writers)
    }

    /// Runs the server and its clients on a new store in the folder.
    ///
    /// - Returns: the accounts whose stored writes are not those that were acknowledged.
    public func run(
        in folder: URL, observer: some RunObserver
    ) async throws -> [Ledger.Mismatch] {
        let ledger = Ledger(accounts: Self.accounts)
        let found = try await serve(in: folder, noting: ledger, observer)
        // A store in memory ended with its container.
        if engine == .inMemory { return found }
        return try await ledger.mismatches(in: container(in: folder))
    }

    /// The container of the server ends with this function.
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
            // Cancels requests that are under way, waits for them, and takes no others.
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

    /// Sends one request after the other until the server is closed.
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
            // A client that is told to come again leaves the server some time.
            if case RequestError.busy? = failure { try? await Task.sleep(for: .milliseconds(2)) }
        }
    }

    private func request(_ sent: Int, ofClient number: Int) -> Request {
        if number >= readers { return .write(account: .random(in: 0..<Self.accounts)) }
        if sent.isMultiple(of: 4) { return .countWritten }
        return .read(first: .random(in: 0..<Self.accounts), count: 10)
    }
}
