import CairnProcesses
import Foundation

/// A rule's connection to a worker, which executes one command after another. It is killed at the end.
final class WorkerProcess {
    private let process: ChildProcess

    /// Starts the harness's program.
    ///
    /// - Throws: ``RuleViolation`` if the harness has no worker, or it does not start.
    init(_ harness: any StoreHarness) throws(RuleViolation) {
        guard let worker = harness.worker else {
            throw RuleViolation(
                detail:
                    "the harness has no worker, so rules about other processes cannot be tested."
                    + " Give it a worker: see WorkerExecutable")
        }
        do {
            process = try ChildProcess(
                worker.url.path, worker.arguments + [WorkerExecutable.argument])
        } catch {
            throw RuleViolation(detail: "the worker \(error)")
        }
    }

    /// Sends a command.
    ///
    /// - Throws: ``RuleViolation`` if the worker has ended.
    func send(_ command: WorkerCommand) throws {
        guard process.currentEnd == nil else { throw ended() }
        try process.send(JSONEncoder().encode(command) + [UInt8(ascii: "\n")])
    }

    /// Whether a signal has ended the process.
    var wasEndedBySignal: Bool {
        guard case .signal? = process.currentEnd else { return false }
        return true
    }

    /// Waits for the next answer.
    ///
    /// - Throws: ``RuleViolation`` if the worker ends, is silent for a minute, or fails with an error
    ///   other than a ``StoreError``.
    func reply() throws -> WorkerReply {
        guard let line = try nextLine() else { throw ended() }
        let reply = try JSONDecoder().decode(WorkerReply.self, from: line)
        if let failure = reply.failure {
            throw RuleViolation(detail: "another process ended with the error: \(failure)")
        }
        return reply
    }

    /// Waits one second for the next answer. If the command is still waiting for something then, kills
    /// the process and returns `nil`.
    func replyAtOnce() throws -> WorkerReply? {
        guard let line = try? process.nextLine(within: 1) else { return nil }
        return try JSONDecoder().decode(WorkerReply.self, from: Data(line))
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
            throw RuleViolation(detail: "the store refused another process: \(reply.texts)")
        }
        return reply
    }

    /// Kills the process with a signal that cannot be caught, and waits for its end.
    func kill() { process.killNow() }

    /// Returns the answers that the process gave before its end and that were not read yet.
    func lastReplies() throws -> [WorkerReply] {
        var all: [WorkerReply] = []
        while let line = try nextLine() {
            // The end of the process may have truncated the last line.
            if let reply = try? JSONDecoder().decode(WorkerReply.self, from: line) {
                all.append(reply)
            }
        }
        return all
    }

    private func nextLine() throws -> Data? {
        do {
            return try process.nextLine(within: 60).map { Data($0) }
        } catch {
            throw RuleViolation(detail: "another process did not answer within a minute: \(error)")
        }
    }

    private func ended() -> RuleViolation {
        let end = Result { () throws(ChildProcess.Failure) in try process.end() }
        return RuleViolation(detail: "another process ended: \(end)")
    }
}

extension StoreSubject {
    /// Starts another process and opens the store in it.
    func openedElsewhere(
        isReadOnly: Bool = false, timeout: Double? = nil
    ) throws -> WorkerProcess {
        let worker = try WorkerProcess(harness)
        try worker.require(openingElsewhere(isReadOnly: isReadOnly, timeout: timeout))
        return worker
    }

    /// Returns the command that opens the store in another process.
    func openingElsewhere(
        isReadOnly: Bool = false, timeout: Double? = nil
    ) throws -> WorkerCommand {
        let timeout = harness.engine.capabilities.options.contains(.timeout) ? timeout : nil
        return .open(WorkerLocation(location), isReadOnly: isReadOnly, timeout: timeout)
    }
}
