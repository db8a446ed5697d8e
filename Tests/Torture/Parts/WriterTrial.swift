import Cairn
import Foundation

/// A trial in which a writer meets a fault, after which its store is checked.
struct WriterTrial {
    let subject: Subject
    let lane: Lane
    /// Called before a stopped process continues.
    var whileStopped: () throws -> Void = {}

    private(set) var verdict = Verdict()
    /// The last acknowledged save, and the last save that may be in the store.
    private var acknowledged = 0
    private var begun = 0
    private var end = ""

    init(_ subject: Subject, _ lane: Lane) {
        self.subject = subject
        self.lane = lane
    }

    /// Runs the writer, then checks the store.
    mutating func run(_ assignment: WritingAssignment) throws -> Verdict {
        let dialogue = try lane.startFaulty(.write(assignment))
        verdict.isReached = false
        while let line = try dialogue.next() { try note(line, dialogue) }
        let kills = assignment.fault?.kind.kills ?? false
        if dialogue.end == "signal 9" && kills {
            verdict.isReached = true
        } else if dialogue.end != "code 0" {
            verdict.problems.append("the process ended with \(dialogue.end)")
        }
        // Must precede the check, which ends with a save.
        if acknowledged > 0, let problem = try lane.verifySometimes(subject) {
            verdict.problems.append(problem)
        }
        try check(.everything)
        verdict.savesChecked = acknowledged
        return verdict
    }

    private mutating func note(_ line: String, _ dialogue: Dialogue) throws {
        let words = line.split(separator: " ", maxSplits: 3).map(String.init)
        let number = words.count > 1 ? Int(words[1]) ?? 0 : 0
        switch words[0] {
        case "begin": begun = number
        case "saved": acknowledged = number
        case "failed":
            // A save that definitely failed must not appear in the store, not even later.
            if words[2] == "definite" { begun = acknowledged }
            if words[2] == "untyped" { verdict.problems.append(line) }
        case "unopened": if words[1] == "untyped" { verdict.problems.append(line) }
        case "look":
            try dialogue.tell(try check(.reading).map(String.init) ?? "")
            // The next attempt at the same save may be in the store.
            begun = acknowledged + 1
        case "changed", "stuck", "threw": verdict.problems.append(line)
        case "done": verdict.isReached = words[1] == "true"
        case "stopped":
            try whileStopped()
            dialogue.proceed()
        default: break
        }
    }

    /// Checks the store. Returns the state that was found first.
    @discardableResult
    private mutating func check(_ depth: CheckingAssignment.Depth) throws -> Int? {
        let lines = try lane.runSound(
            .check(
                CheckingAssignment(
                    subject: subject, acknowledged: acknowledged, begun: begun, depth: depth)))
        verdict.problems += lines.filter { $0.hasPrefix("problem ") || $0.hasPrefix("threw ") }
        return lines.first { $0.hasPrefix("state ") }.flatMap { Int($0.dropFirst(6)) }
    }
}

extension WritingAssignment {
    /// Returns the workload whose mutating calls are all tested: it creates a store, makes eight saves, and
    /// reopens the store after four.
    static func standard(_ subject: Subject, planted: PlantedDefect? = nil) -> Self {
        WritingAssignment(subject: subject, savesPerSession: 4, planted: planted)
    }
}

extension Lane {
    /// Runs a workload without a fault, and returns its mutating calls.
    ///
    /// - Parameter saveCount: The number of saves, all of them before the store is closed. If `nil`, the
    ///   standard workload runs.
    func trace(
        _ engine: StoreType, _ settings: Settings, saveCount: Int? = nil
    ) throws -> [TracedCall] {
        let folder = try newFolder("traced")
        defer { remove(folder) }
        var assignment = WritingAssignment.standard(settings.subject(engine, folder))
        if let saveCount { (assignment.saveCount, assignment.savesPerSession) = (saveCount, nil) }
        assignment.planted = settings.planted
        assignment.trace = self.folder + "/trace"
        let dialogue = try startFaulty(.write(assignment))
        while let line = try dialogue.next() {
            if line.hasPrefix("threw") { throw HarnessFailure("the workload itself: \(line)") }
        }
        let text = FileManager.default.contents(atPath: self.folder + "/trace") ?? Data()
        let calls = TracedCall.all(String(decoding: text, as: UTF8.self))
        guard !calls.isEmpty else { throw HarnessFailure("the workload made no mutating call") }
        return calls
    }
}
