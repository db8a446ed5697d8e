import Cairn

/// The limits on the server's concurrent work.
public struct ServerLimits: Sendable {
    /// The maximum number of requests that are processed simultaneously.
    public var inFlight = 32
    /// The maximum number of further requests that wait. Beyond these, clients are told to try again later.
    public var waiting = 64
    /// The limits on the threads on which contexts have their turns.
    public var threads = ThreadLimits()

    /// Creates the default limits.
    public init() {}
}

/// A server without a network. Requests arrive in a stream, and a separate task answers each.
///
/// All tasks use one container.
public final class Server: Sendable {
    private struct Call: Sendable {
        let request: Request
        let deadline: Duration
        let answer: CheckedContinuation<Int64, any Error>
    }

    private let container: PersistentContainer
    private let limits: ServerLimits
    private let calls: AsyncStream<Call>
    private let inbox: AsyncStream<Call>.Continuation
    /// A context that many requests share. Their turns run one after the other.
    private let summary: ContextHandle

    /// Creates a server.
    ///
    /// - Parameter container: A container whose stores are loaded.
    public init(container: PersistentContainer, limits: ServerLimits) {
        self.container = container
        self.limits = limits
        summary = container.newBackgroundContext()
        // If more calls are waiting, new calls are dropped.
        (calls, inbox) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(limits.waiting))
    }

    /// Answers a request, as if a client had sent it over a network.
    ///
    /// - Parameter deadline: The time after which the answer is no longer needed.
    /// - Throws: `RequestError`, the error of the container, or a cancellation error after the deadline.
    public func answer(_ request: Request, within deadline: Duration) async throws -> Int64 {
        try await withCheckedThrowingContinuation { answer in
            switch inbox.yield(Call(request: request, deadline: deadline, answer: answer)) {
            case .enqueued: break
            case .dropped: answer.resume(throwing: RequestError.busy)
            case .terminated: answer.resume(throwing: RequestError.closed)
            @unknown default: answer.resume(throwing: RequestError.closed)
            }
        }
    }

    /// Answers requests until the calling task is cancelled. Then cancels the requests in progress, and
    /// returns after each was answered.
    public func run() async {
        await withTaskGroup(of: Void.self) { group in
            var inFlight = 0
            for await call in calls {
                // Back-pressure: at this limit, the stream waits.
                if inFlight == limits.inFlight {
                    await group.next()
                    inFlight -= 1
                }
                // Writers run on the executor throughout; readers go there for their turns.
                let preference = call.request.isWrite ? container.executor : nil
                group.addTask(executorPreference: preference) { await self.serve(call) }
                inFlight += 1
            }
        }
    }

    private func serve(_ call: Call) async {
        do {
            let value = try await withDeadline(after: call.deadline) {
                try await self.handle(call.request)
            }
            call.answer.resume(returning: value)
        } catch {
            call.answer.resume(throwing: error)
        }
    }

    // MARK: Handlers

    private func handle(_ request: Request) async throws -> Int64 {
        switch request {
        case .read(let first, let count): try await read(first, count)
        case .countWritten: try await countWritten()
        case .write(let account): try await write(account)
        }
    }

    private func read(_ first: Int64, _ count: Int64) async throws -> Int64 {
        try await container.performBackgroundTask { context in
            let request = try FetchRequest<Account>(
                "Account", where: "number >= %@ AND number < %@", first, first + count)
            let accounts: [Account] = try context.fetch(request)
            return accounts.reduce(0) { $0 + $1.writes }
        }
    }

    private func countWritten() async throws -> Int64 {
        try await summary.perform { context in
            let written = try FetchRequest<Account>("Account", where: "writes > 0")
            return Int64(try context.count(for: written))
        }
    }

    /// Retries with a new context if another writer was faster.
    private func write(_ number: Int64) async throws -> Int64 {
        for _ in 0..<9 {
            do {
                return try await writeOnce(number)
            } catch GraphError.mergeConflicts {
                continue
            }
        }
        return try await writeOnce(number)
    }

    private func writeOnce(_ number: Int64) async throws -> Int64 {
        try await container.performBackgroundTask { context in
            let found: [Account] = try context.fetch(
                FetchRequest<Account>("Account", where: "number == %@", number))
            guard let account = found.first else { throw RequestError.noAccount(number) }
            account.writes += 1
            try context.save()
            return account.writes
        }
    }
}
