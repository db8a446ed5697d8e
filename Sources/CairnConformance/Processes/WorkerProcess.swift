import CairnStore
import Foundation

/// A worker as the rule sees it: asked for one thing after the other, and killed at the end.
final class WorkerProcess {
    private let process = Process()
    private let commands = Pipe()
    private let replies = Pipe()
    private var unread = Data()

    /// Starts the harness's program.
    ///
    /// - Throws: ``RuleViolation`` where the harness has none, or it does not start.
    init(_ harness: any StoreHarness) throws(RuleViolation) {
        guard let worker = harness.worker else {
            throw RuleViolation(
                detail: "the harness has no worker, so nothing about other processes is proved:"
                    + " give it one, see WorkerExecutable")
        }
        process.executableURL = worker.url
        process.arguments = worker.arguments + [WorkerExecutable.argument]
        process.standardInput = commands
        process.standardOutput = replies
        do {
            try process.run()
        } catch {
            throw RuleViolation(detail: "the worker \(worker.url.path) does not start: \(error)")
        }
    }

    deinit { kill() }

    /// Sends a command.
    ///
    /// - Throws: ``RuleViolation`` where the worker has ended.
    func send(_ command: WorkerCommand) throws {
        guard process.isRunning else { throw ended() }
        var line = try JSONEncoder().encode(command)
        line.append(UInt8(ascii: "\n"))
        try commands.fileHandleForWriting.write(contentsOf: line)
    }

    /// Whether a signal has ended the process.
    var wasEndedBySignal: Bool {
        !process.isRunning && process.terminationReason == .uncaughtSignal
    }

    /// Waits for the next answer.
    ///
    /// - Throws: ``RuleViolation`` where the worker ends, is silent for a minute, or failed
    ///   otherwise than by a ``StoreError``.
    func reply() throws -> WorkerReply {
        guard let line = try nextLine() else { throw ended() }
        let reply = try JSONDecoder().decode(WorkerReply.self, from: line)
        if let failure = reply.failure {
            throw RuleViolation(detail: "another process ended with the error: \(failure)")
        }
        return reply
    }

    /// Sends a command and waits for its answer.
    func ask(_ command: WorkerCommand) throws -> WorkerReply {
        try send(command)
        return try reply()
    }

    /// Sends a command that must succeed.
    @discardableResult
    func require(_ command: WorkerCommand) throws -> WorkerReply {
        let reply = try ask(command)
        if reply.refusal != nil {
            throw RuleViolation(detail: "another process was refused: \(reply.texts)")
        }
        return reply
    }

    /// Kills the process with the signal that none can catch, and waits for its end.
    func kill() {
        guard process.isRunning else { return }
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// The answers that were given before the end and not read.
    func lastReplies() throws -> [WorkerReply] {
        var all: [WorkerReply] = []
        while let line = try nextLine() {
            // The last line may have been cut short by the end.
            if let reply = try? JSONDecoder().decode(WorkerReply.self, from: line) {
                all.append(reply)
            }
        }
        return all
    }

    private func nextLine() throws -> Data? {
        while true {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                defer { unread = Data(unread[(end + 1)...]) }
                return Data(unread[..<end])
            }
            let descriptor = replies.fileHandleForReading.fileDescriptor
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, 60_000) > 0 else {
                kill()
                throw RuleViolation(detail: "another process did not answer for a minute")
            }
            let found = replies.fileHandleForReading.availableData
            if found.isEmpty { return nil }
            unread.append(found)
        }
    }

    private func ended() -> RuleViolation {
        process.waitUntilExit()
        let reason = process.terminationReason == .uncaughtSignal ? "signal" : "exit code"
        return RuleViolation(
            detail: "another process ended by \(reason) \(process.terminationStatus)")
    }
}

extension StoreSubject {
    /// Starts another process, with the store open in it.
    func openedElsewhere(
        isReadOnly: Bool = false, timeout: Double? = nil
    ) throws -> WorkerProcess {
        let worker = try WorkerProcess(harness)
        try worker.require(openingElsewhere(isReadOnly: isReadOnly, timeout: timeout))
        return worker
    }

    /// The command that opens the store in another process.
    func openingElsewhere(
        isReadOnly: Bool = false, timeout: Double? = nil
    ) throws -> WorkerCommand {
        let isMemory = location.fileURL == nil
        let timeout = harness.engine.capabilities.options.contains(.timeout) ? timeout : nil
        return .open(
            path: location.fileURL?.path ?? "\(location)", isMemory: isMemory,
            isReadOnly: isReadOnly, timeout: timeout)
    }
}
