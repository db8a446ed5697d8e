import CairnModel
import CairnProcesses
import CairnStore
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

/// A program that rules run as another process. It must call ``ConformanceProgram/run(_:)``.
///
/// A durable engine cannot be tested without such a program: the effects between processes, and the
/// effect of a damaged file on a process, can only be observed in another process.
public struct WorkerExecutable: Sendable {
    /// The program's file.
    package let url: URL
    /// The arguments that the program is started with. The kit adds ``argument`` after them.
    package let arguments: [String]

    /// The argument that makes a program a worker.
    package static let argument = "--cairn-conformance-worker"

    /// Creates a reference to a program. Whether the program exists is checked only when it is started.
    package init(_ url: URL, arguments: [String] = []) {
        self.url = url
        self.arguments = arguments
    }

    /// Returns the running program, to be started again as another process.
    ///
    /// - Parameter arguments: The arguments that the other process needs to create the same harness.
    public static func thisProgram(_ arguments: [String] = []) -> WorkerExecutable {
        WorkerExecutable(
            Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0]),
            arguments: arguments)
    }

    /// Returns a program that the same package builds for tests. It is in the same folder as the test
    /// program.
    ///
    /// - Parameters:
    ///   - name: The name of the executable target.
    ///   - arguments: The arguments that the other process needs to create the same harness.
    public static func built(_ name: String, arguments: [String] = []) -> WorkerExecutable {
        var folder = thisProgram().url.deletingLastPathComponent()
        #if canImport(Darwin)
        // On Darwin, the test program is xctest. The test bundle is in the folder of the products.
        if let bundle = Bundle.allBundles.first(where: { $0.bundlePath.hasSuffix(".xctest") }) {
            folder = bundle.bundleURL.deletingLastPathComponent()
        }
        #endif
        folder = folder.standardizedFileURL
        return WorkerExecutable(folder.appending(path: name), arguments: arguments)
    }
}

/// A store's location in the form that is sent to another process. It includes the password of a service.
enum WorkerLocation: Codable, Sendable {
    case file(path: String)
    case memory(String)
    case service(URL)

    /// Creates the representation of a store's location.
    init(_ location: StoreLocation) {
        self =
            switch location {
            case .file(let url): .file(path: url.path)
            case .memory(let name): .memory(name)
            case .service(let service): .service(service.urlWithPassword)
            }
    }

    /// Returns the store's location.
    ///
    /// - Throws: ``RuleViolation`` if the URL is not a service's address.
    func location() throws(RuleViolation) -> StoreLocation {
        switch self {
        case .file(let path): .file(URL(fileURLWithPath: path))
        case .memory(let name): .memory(name)
        case .service(let url):
            .service(try requireValue(ServiceLocation(url), "the address of the service"))
        }
    }

    /// Whether each process has its own store at the location.
    var isMemory: Bool { if case .memory = self { true } else { false } }
}

/// A command of a rule to a worker, sent as one line of JSON on the worker's standard input.
enum WorkerCommand: Codable, Sendable {
    /// Opens the store at a location. The store must exist, unless it is in memory.
    case open(WorkerLocation, isReadOnly: Bool, timeout: Double?)
    /// Reads the metadata of the store at a location without opening the store.
    case metadata(WorkerLocation)
    /// Opens the store, reads all of it, and closes it.
    case readAll(WorkerLocation)
    /// Creates a snapshot for later commands to read.
    case hold
    /// Returns the names of all albums, in the order of their keys.
    case albums(isHeld: Bool)
    /// Describes the bytes of a file object's blob in the held snapshot.
    case heldBlob(URL)
    /// Saves albums with these names, in one save.
    case insert([String])
    /// Saves an album of the label with this URI.
    case insertMember(URL)
    /// Adds 1 to an album's year `count` times. Tries again if another process changes the album first.
    case raiseYear(URL, count: Int)
    /// Saves pairs of albums in an endless loop. Answers after each save.
    case savePairs
    /// Makes named saves of albums in an endless loop. Answers before each save. The name of an album is
    /// the name of its save.
    case saveNamed
    /// Returns the store's record of a named save's outcome.
    case outcome(String)
    case beginSave
    case prepare([String])
    case commit
    case rollback
}

/// A worker's answer to a command, sent as one line of JSON on the worker's standard output.
struct WorkerReply: Codable, Sendable {
    var texts: [String] = []
    /// The URIs of objects. They are used because store numbers have no meaning in other processes.
    var uris: [URL] = []
    var generation: UInt64 = 0
    /// The case of the ``StoreError`` that the command threw. `nil` if it did not throw such an error.
    var refusal: String?
    /// The text of any other error that the command threw. `nil` if it threw no other error.
    var failure: String?

    init() {}
    init(texts: [String]) { self.texts = texts }
    init(_ ids: [ObjectID]) { uris = ids.map { $0.uriRepresentation() } }

    init(_ error: any Error) {
        if let error = error as? StoreError {
            refusal = StoreErrorCase(error).rawValue
            texts = ["\(error)"]
        } else {
            failure = "\(error)"
        }
    }
}
