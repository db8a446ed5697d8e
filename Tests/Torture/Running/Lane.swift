import Cairn
import CairnProcesses
import Foundation

/// The processes of one thread of the harness: one under the library for faults, one without it.
final class Lane {
    private let settings: Settings
    private let program: String
    private var faulty: ChildProcess?
    private var sound: ChildProcess?
    /// Servers for processes that run at the same time, under the library.
    private var others: [Int: ChildProcess] = [:]
    /// A folder of this lane's own.
    let folder: String
    private var folderCount = 0
    private var samples: [StoreType: [MigrationSample]] = [:]
    private var banks: [[StoreType]: BankSample] = [:]
    private var emptyDisks: [LoopDisk.FileSystem: String] = [:]
    private var verifyCount = 0

    init(_ settings: Settings, number: Int) throws {
        self.settings = settings
        program = CommandLine.arguments[0]
        folder = settings.folder + "/lane-\(number)"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
    }

    /// A backtrace takes longer than many trials.
    private static let noBacktrace = "SWIFT_BACKTRACE=enable=no"

    /// An empty folder; the one before it is removed unless it is to be kept.
    func newFolder(_ prefix: String = "trial") throws -> String {
        folderCount += 1
        let path = "\(folder)/\(prefix)-\(folderCount)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        return path
    }

    /// Old stores of an engine, for each way in which it migrates them. Made once.
    func migrationSamples(of engine: StoreType) throws -> [MigrationSample] {
        let found = try samples[engine] ?? MigrationSample.all(of: engine, self)
        samples[engine] = found
        return found
    }

    /// Stores of these engines to which nothing was saved yet. Made once.
    func bank(of engines: [StoreType]) throws -> BankSample {
        let found = try banks[engines] ?? BankSample(engines, self)
        banks[engines] = found
        return found
    }

    /// The file of an empty disk. Made once.
    func emptyDisk(_ fileSystem: LoopDisk.FileSystem) throws -> String {
        if let found = emptyDisks[fileSystem] { return found }
        let path = folder + "/empty-" + fileSystem.rawValue
        try LoopDisk.makeImage(fileSystem, at: path)
        emptyDisks[fileSystem] = path
        return path
    }

    func remove(_ folder: String) { try? FileManager.default.removeItem(atPath: folder) }

    /// Starts an assignment in a process whose calls may fail, and returns what it says.
    func startFaulty(_ assignment: Assignment) throws -> Dialogue {
        let server = try faulty ?? newFaultyServer()
        faulty = server
        return try start(assignment, server) { [weak self] in self?.faulty = nil }
    }

    private func newFaultyServer() throws -> ChildProcess {
        try ChildProcess(
            "/usr/bin/env", ["LD_PRELOAD=\(settings.shim)", Self.noBacktrace, program, "serve"])
    }

    /// Starts assignments that run at the same time. Each says that it is ready first; when all have,
    /// they are told to begin.
    ///
    /// - Parameters:
    ///   - count: how many are told to begin; `nil` means all.
    ///   - first: how many others run already.
    func startTogether(
        _ assignments: [Assignment], begin count: Int? = nil, after first: Int = 0
    ) throws -> [Dialogue] {
        let dialogues = try assignments.enumerated().map { index, assignment in
            let index = first + index
            let server = try others[index] ?? newFaultyServer()
            others[index] = server
            return try start(assignment, server) { [weak self] in self?.others[index] = nil }
        }
        for dialogue in dialogues {
            let line = try dialogue.next()
            guard line == "ready" else {
                throw HarnessFailure("a process was not ready: \(line ?? dialogue.end)")
            }
        }
        for dialogue in dialogues.prefix(count ?? dialogues.count) { try dialogue.tell("") }
        return dialogues
    }

    /// Runs an assignment in a process in which no call fails, and returns all that it says.
    func runSound(_ assignment: Assignment) throws -> [String] {
        let server =
            try sound ?? ChildProcess("/usr/bin/env", [Self.noBacktrace, program, "serve"])
        sound = server
        let dialogue = try start(assignment, server) { [weak self] in self?.sound = nil }
        var lines: [String] = []
        while let line = try dialogue.next() { lines.append(line) }
        if dialogue.end != "code 0" { lines.append("problem the check ended with \(dialogue.end)") }
        return lines
    }

    /// Has `cairn store verify` look at a store, in every tenth call; it takes as long as a trial.
    ///
    /// Returns its last line if it finds something.
    func verifySometimes(_ subject: Subject) throws -> String? {
        verifyCount += 1
        let isDue = settings.point != nil || verifyCount % 10 == 0
        guard isDue, FileManager.default.fileExists(atPath: subject.file.path) else { return nil }
        let tool = ((program as NSString).deletingLastPathComponent as NSString)
            .appendingPathComponent("cairn")
        let process = try ChildProcess(
            tool, ["store", "verify", subject.file.path], errorOutput: .kept)
        let text = String(decoding: try process.output(), as: UTF8.self)
        if try process.end() == .code(0) { return nil }
        let lines = (text + process.errorText).split(separator: "\n")
        return "problem verify: \(lines.last ?? "it ended silently")"
    }

    private func start(
        _ assignment: Assignment, _ server: ChildProcess, abandon: @escaping () -> Void
    ) throws -> Dialogue {
        try server.send(Array((try assignment.line + "\n").utf8))
        return try Dialogue(server, abandon: abandon)
    }
}

/// What a process that a lane started says, and is told.
final class Dialogue {
    private let server: ChildProcess
    private let abandon: () -> Void
    private let process: pid_t
    private var lines: [String] = []
    /// How it ended: `code N` or `signal N`; empty before that.
    private(set) var end = ""

    /// Longer than the process's own alarm.
    private static let seconds = 150.0

    fileprivate init(_ server: ChildProcess, abandon: @escaping () -> Void) throws {
        self.server = server
        self.abandon = abandon
        let first = try server.nextLine(within: Self.seconds).map {
            String(decoding: $0, as: UTF8.self)
        }
        // The process may speak before its server does.
        var line = first
        while let next = line, !next.hasPrefix("process ") {
            lines.append(next)
            line = try server.nextLine(within: Self.seconds).map {
                String(decoding: $0, as: UTF8.self)
            }
        }
        guard let number = line.flatMap({ pid_t($0.dropFirst(8)) }) else {
            abandon()
            throw HarnessFailure("a server ended: \(lines.last ?? "silently")")
        }
        process = number
    }

    /// Waits for the next line. Returns `nil` when the process has ended.
    func next() throws -> String? {
        guard end.isEmpty else { return nil }
        let line: String
        if !lines.isEmpty {
            line = lines.removeFirst()
        } else {
            guard let bytes = try server.nextLine(within: Self.seconds) else {
                abandon()
                throw HarnessFailure("a server ended")
            }
            line = String(decoding: bytes, as: UTF8.self)
        }
        guard line.hasPrefix("ended ") else { return line }
        end = String(line.dropFirst(6))
        return nil
    }

    func tell(_ line: String) throws { try server.send(Array((line + "\n").utf8)) }

    /// Ends the process as a crash would.
    func killNow() { kill(process, SIGKILL) }

    /// Lets a process go on that stopped.
    func goOn() { kill(process, SIGCONT) }
}
