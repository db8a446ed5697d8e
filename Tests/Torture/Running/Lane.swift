import Cairn
import CairnProcesses
import Foundation

/// The processes of one thread of the harness: one with the fault library, and one without it.
final class Lane {
    private let settings: Settings
    private let program: String
    private var faulty: ChildProcess?
    private var sound: ChildProcess?
    /// Servers with the fault library, for processes that run simultaneously.
    private var others: [Int: ChildProcess] = [:]
    /// The lane's own folder.
    let folder: String
    private var folderCount = 0
    private var samples: [StoreType: [MigrationSample]] = [:]
    private var banks: [[StoreType]: BankSample] = [:]
    private var backups: [[StoreType]: BankSample] = [:]
    private var emptyDisks: [LoopDisk.FileSystem: String] = [:]
    private var verifyCount = 0

    init(_ settings: Settings, number: Int) throws {
        self.settings = settings
        program = CommandLine.arguments[0]
        folder = settings.folder + "/lane-\(number)"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
    }

    /// Printing a backtrace takes longer than many trials.
    private static let noBacktrace = "SWIFT_BACKTRACE=enable=no"

    /// Creates an empty folder. The previous folder is removed unless it is to be kept.
    func newFolder(_ prefix: String = "trial") throws -> String {
        folderCount += 1
        let path = "\(folder)/\(prefix)-\(folderCount)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        return path
    }

    /// Returns old stores of an engine, for each way in which it migrates them. They are created once.
    func migrationSamples(of engine: StoreType) throws -> [MigrationSample] {
        let found = try samples[engine] ?? MigrationSample.all(of: engine, self)
        samples[engine] = found
        return found
    }

    /// Returns stores of the given engines, to which nothing was saved yet. They are created once.
    func bank(of engines: [StoreType]) throws -> BankSample {
        let found = try banks[engines] ?? BankSample(engines, self)
        banks[engines] = found
        return found
    }

    /// Returns stores of the given engines with a backup. They are created once.
    func backup(of engines: [StoreType]) throws -> BankSample {
        let found = try backups[engines] ?? BankSample(engines, self, hasBackup: true)
        backups[engines] = found
        return found
    }

    /// Returns the file of an empty disk. The first call creates the file.
    func emptyDisk(_ fileSystem: LoopDisk.FileSystem) throws -> String {
        if let found = emptyDisks[fileSystem] { return found }
        let path = folder + "/empty-" + fileSystem.rawValue
        try LoopDisk.makeImage(fileSystem, at: path)
        emptyDisks[fileSystem] = path
        return path
    }

    func remove(_ folder: String) { try? FileManager.default.removeItem(atPath: folder) }

    /// Starts an assignment in a process whose calls may fail. Returns its dialogue.
    func startFaulty(_ assignment: Assignment) throws -> Dialogue {
        let server = try faulty ?? newFaultyServer()
        faulty = server
        return try start(assignment, server) { [weak self] in self?.faulty = nil }
    }

    private func newFaultyServer() throws -> ChildProcess {
        try ChildProcess(
            "/usr/bin/env", ["LD_PRELOAD=\(settings.shim)", Self.noBacktrace, program, "serve"])
    }

    /// Starts assignments that run simultaneously. Each first reports that it is ready. When all are ready,
    /// they are told to begin.
    ///
    /// - Parameters:
    ///   - count: The number of assignments that are told to begin, or `nil` for all.
    ///   - first: The number of other assignments that already run.
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

    /// Runs an assignment in a process in which no call fails. Returns all lines that it prints.
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

    /// Runs `cairn store verify` on a store in every tenth call, because it takes as long as a trial.
    ///
    /// Returns its last line if it finds a problem.
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

/// The communication with a process that a lane started.
final class Dialogue {
    private let server: ChildProcess
    private let abandon: () -> Void
    private let process: pid_t
    private var lines: [String] = []
    /// How the process ended: `code N` or `signal N`. Empty before that.
    private(set) var end = ""

    /// A timeout that exceeds the process's own alarm.
    private static let seconds = 150.0

    fileprivate init(_ server: ChildProcess, abandon: @escaping () -> Void) throws {
        self.server = server
        self.abandon = abandon
        let first = try server.nextLine(within: Self.seconds).map {
            String(decoding: $0, as: UTF8.self)
        }
        // The process may print lines before its server does.
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

    /// Waits for the next line. Returns `nil` if the process has ended.
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

    /// Kills the process, as a crash would.
    func killNow() { kill(process, SIGKILL) }

    /// Lets a stopped process continue.
    func proceed() { kill(process, SIGCONT) }
}
