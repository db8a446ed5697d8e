import Cairn
import Foundation

/// A writer that meets a fault, and what its store holds then.
struct WriterTrial {
    let subject: Subject
    let lane: Lane
    /// Done before a process that stopped goes on.
    var whileStopped: () throws -> Void = {}

    private(set) var verdict = Verdict()
    /// The last save that was acknowledged, and the last that may be in the store.
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
        // Before the check, which ends with a save.
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
            // A save that failed for certain is not in the store, not even later.
            if words[2] == "definite" { begun = acknowledged }
            if words[2] == "untyped" { verdict.problems.append(line) }
        case "unopened": if words[1] == "untyped" { verdict.problems.append(line) }
        case "look":
            try dialogue.tell(try check(.reading).map(String.init) ?? "")
            // The next try of the same save may be in the store again.
            begun = acknowledged + 1
        case "changed", "stuck", "threw": verdict.problems.append(line)
        case "done": verdict.isReached = words[1] == "true"
        case "stopped":
            try whileStopped()
            dialogue.goOn()
        default: break
        }
    }

    /// Returns the state that was found first.
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
    /// The workload that every mutating call of is tried: a store is made, takes eight saves, and is
    /// opened again after four.
    static func standard(_ subject: Subject, planted: PlantedDefect? = nil) -> Self {
        WritingAssignment(subject: subject, savesPerSession: 4, planted: planted)
    }
}

extension Lane {
    /// Runs a workload without a fault, and returns its mutating calls.
    ///
    /// - Parameter saveCount: how many saves it makes, all of them before the store is closed; `nil`:
    ///   the standard workload.
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
