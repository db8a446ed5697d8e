import CairnProcesses
import CairnStore
import Foundation

/// A worker as the rule sees it: asked for one thing after the other, and killed at the end.
final class WorkerProcess {
    private let process: ChildProcess

    /// Starts the harness's program.
    ///
    /// - Throws: ``RuleViolation`` if the harness has no worker, or it does not start.
    init(_ harness: any StoreHarness) throws(RuleViolation) {
        guard let worker = harness.worker else {
            throw RuleViolation(
                detail: "the harness has no worker, so nothing about other processes is proved:"
                    + " give it one, see WorkerExecutable")
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

    /// Waits a second for the next answer. Returns `nil` if none comes by then, because the command
    /// waits for something; the process is killed then.
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
            throw RuleViolation(detail: "another process was refused: \(reply.texts)")
        }
        return reply
    }

    /// Kills the process with the signal that none can catch, and waits for its end.
    func kill() { process.killNow() }

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
        do {
            return try process.nextLine(within: 60).map { Data($0) }
        } catch {
            throw RuleViolation(detail: "another process did not answer for a minute: \(error)")
        }
    }

    private func ended() -> RuleViolation {
        let end = Result { () throws(ChildProcess.Failure) in try process.end() }
        return RuleViolation(detail: "another process ended: \(end)")
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
        let timeout = harness.engine.capabilities.options.contains(.timeout) ? timeout : nil
        return .open(WorkerLocation(location), isReadOnly: isReadOnly, timeout: timeout)
    }
}
