import Cairn
import Foundation

/// A trial in which a program migrates old stores and meets one fault. The stores are then checked.
struct MigrationTrial: Sendable {
    private let sample: MigrationSample
    private let fault: Fault
    private let planted: PlantedDefect?
    /// How many renames give stores their migrated copies. 0 if the migration has no such rename.
    private let decidingCount: Int

    init(
        _ sample: MigrationSample, _ fault: Fault, _ calls: [TracedCall], _ planted: PlantedDefect?
    ) {
        (self.sample, self.fault, self.planted) = (sample, fault, planted)
        decidingCount = calls.count { $0.isRename(to: sample.change.fileNames) }
    }

    /// Where the fault occurred in a program's calls. Their order differs a little from run to run, so the calls of
    /// another run do not tell.
    private struct Place {
        /// The name of the call with which the fault began. `nil` if it did not occur.
        let call: String?
        /// Whether the fault occurred before the first decisive rename, or after the last one. Both are `false` if
        /// the migration has no such rename.
        let isBefore: Bool
        let isAfter: Bool
    }

    private func place(_ trace: String) throws -> Place {
        let calls = try TracedCall.all(inFile: trace)
        let index = calls.indices.first { $0 >= fault.at - 1 && fault.kind.concerns(calls[$0]) }
        let doneCount = calls[..<(index ?? calls.endIndex)]
            .count { $0.isRename(to: sample.change.fileNames) }
        return Place(
            call: index.map { calls[$0].name }, isBefore: decidingCount > 0 && doneCount == 0,
            isAfter: decidingCount > 0 && doneCount == decidingCount)
    }

    var trial: Trial {
        Trial(name: "\(sample.name) \(fault)") { lane in try run(lane) }
    }

    private var kills: Bool { [.kill, .tear].contains(fault.kind) }

    /// Whether removing files fails, so that files may remain.
    private func hitsRemovals(_ place: Place) -> Bool {
        switch fault.kind {
        case .ioError, .noSpace: fault.isSticky || place.call == "unlink"
        default: false
        }
    }

    /// Whether a save over several stores may have been interrupted, whose journal remains.
    private var maySave: Bool { sample.change == .split }

    private func run(_ lane: Lane) throws -> Verdict {
        let folder = try lane.newFolder()
        defer { lane.remove(folder) }
        var program = MigratingProgram(subject: try sample.copy(to: folder))
        (program.fault, program.planted) = (fault, planted)
        let trace = lane.folder + "/trace"
        program.trace = trace
        let dialogue = try lane.startFaulty(.migrate(program))
        var verdict = Verdict(isReached: false)
        var hasFailed = false
        while let line = try dialogue.next() {
            switch line.split(separator: " ").first {
            case "unopened":
                hasFailed = true
                if line.hasPrefix("unopened untyped") { verdict.problems.append(line) }
            case "look":
                let place = try place(trace)
                let check = MigrationCheck(
                    subject: program.subject, mayBeLeft: hitsRemovals(place) || maySave,
                    finishes: false)
                verdict.problems += try problems(check, lane, place)
                try dialogue.tell("")
            case "done": verdict.isReached = line == "done true"
            case "opened", "ready": break
            default: verdict.problems.append(line)
            }
        }
        if dialogue.end == "signal 9", kills {
            verdict.isReached = true
        } else if dialogue.end != "code 0" {
            verdict.problems.append("the process ended with \(dialogue.end)")
        }
        let place = try place(trace)
        var check = MigrationCheck(
            subject: program.subject, mayBeLeft: kills || hitsRemovals(place) || maySave,
            finishes: true)
        // A program that succeeds although it could not remove its copies leaves them to the next migration.
        check.mayStay = hitsRemovals(place) && !hasFailed
        verdict.problems += try problems(check, lane, place, isOpened: !kills)
        return verdict
    }

    /// Checks the stores, and returns the problems found.
    private func problems(
        _ check: MigrationCheck, _ lane: Lane, _ place: Place, isOpened: Bool = false
    ) throws -> [String] {
        let lines = try lane.runSound(.checkMigration(check))
        let state = lines.first { $0.hasPrefix("state ") }?.dropFirst(6)
        var problems = lines.filter { !$0.hasPrefix("state ") }
        if isOpened, state != "new" {
            problems.append("the program has opened the stores, which are \(state ?? "unknown")")
        } else if !isOpened, place.isBefore, state != "old" {
            problems.append("before the rename, the stores are \(state ?? "unknown")")
        } else if !isOpened, place.isAfter, state != "new" {
            problems.append("after the rename, the stores are \(state ?? "unknown")")
        }
        return problems
    }
}

extension TracedCall {
    /// Returns whether the call renames a file in the stores' folder to one of the given names.
    func isRename(to names: [String]) -> Bool {
        name == "rename" && names.contains { path == "/" + $0 }
    }

    static func all(inFile path: String) throws -> [TracedCall] {
        let calls = all(try String(contentsOfFile: path, encoding: .utf8))
        guard !calls.isEmpty else { throw HarnessFailure("the program made no mutating call") }
        return calls
    }
}
