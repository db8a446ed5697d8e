import Cairn
import Foundation

/// Runs a program whose threads save at the same time, to one store and to two, and kills it at mutating calls, or makes
/// these calls fail.
///
/// Which saves share a commit differs from run to run, and so does the number of calls.
struct GroupPart: Part {
    let name = "groups"

    let planted: [(defect: PlantedDefect, engine: StoreType)] = [
        (.acknowledgesEarly, .sqlite), (.namesRefusedSaves, .binary),
    ]

    private static let kinds: [(kind: Fault.Kind, stays: [Bool])] = [
        (.kill, [false]), (.tear, [false]), (.noSpace, [false, true]), (.full, [true]),
        (.ioError, [false]), (.short, [false]), (.syncError, [false, true]),
    ]

    func trialCount(_ settings: Settings) -> Int? {
        settings.isLong || settings.planted != nil ? nil : 60
    }

    func trials(_ engine: StoreType, _ settings: Settings, _ lane: Lane) throws -> [Trial] {
        let types = Engines.types
        let next = types[((types.firstIndex(of: engine) ?? 0) + 1) % types.count]
        return try trials(lane.bank(of: [engine]), settings, lane)
            + trials(lane.bank(of: [engine, next]), settings, lane)
    }

    private func trials(
        _ sample: BankSample, _ settings: Settings, _ lane: Lane
    ) throws -> [Trial] {
        let calls = try lane.trace(sample, settings)
        return Self.kinds.flatMap { kind, stays in
            calls.indices.filter { kind.concerns(calls[$0]) }.flatMap { index in
                stays.map { isSticky in
                    Self.trial(
                        sample, Fault(kind: kind, at: index + 1, isSticky: isSticky),
                        settings.planted)
                }
            }
        }
    }

    private static func trial(
        _ sample: BankSample, _ fault: Fault, _ planted: PlantedDefect?
    ) -> Trial {
        Trial(name: "\(BankSample.name(of: sample.engines)) \(fault)") { lane in
            let folder = try lane.newFolder()
            defer { lane.remove(folder) }
            let subject = try sample.copy(to: folder)
            let program = GroupingProgram(subject: subject, fault: fault, planted: planted)
            let dialogue = try lane.startFaulty(.group(program))
            var verdict = Verdict(isReached: false)
            var check = GroupingCheck(subject: subject, acknowledged: [], failed: [], begun: [])
            while let line = try dialogue.next() {
                note(line, &check, &verdict)
            }
            if dialogue.end == "signal 9", fault.kind.kills {
                verdict.isReached = true
            } else if dialogue.end != "code 0" {
                verdict.problems.append("the program ended with \(dialogue.end)")
            }
            verdict.savesChecked = check.acknowledged.count
            verdict.problems += try lane.runSound(.checkGroup(check))
            return verdict
        }
    }

    private static func note(_ line: String, _ check: inout GroupingCheck, _ verdict: inout Verdict)
    {
        let words = line.split(separator: " ")
        switch (words.first, words.count > 1 ? Int(words[1]) : nil) {
        case ("began", let save?): check.begun.append(save)
        case ("saved", let save?): check.acknowledged.append(save)
        case ("failed", let save?) where words.count > 2 && words[2] == "definite":
            check.failed.append(save)
        // It is finished when the stores are opened again.
        case ("failed", let save?) where words.count > 2 && words[2] == "pending":
            check.acknowledged.append(save)
        case ("failed", _) where words.count > 2 && words[2] == "unknown": break
        case ("done", _): verdict.isReached = line == "done true"
        default: verdict.problems.append(line)
        }
    }
}

extension Lane {
    /// Runs the program without a fault, and returns its mutating calls.
    fileprivate func trace(_ sample: BankSample, _ settings: Settings) throws -> [TracedCall] {
        let folder = try newFolder("traced")
        defer { remove(folder) }
        let program = GroupingProgram(
            subject: try sample.copy(to: folder), planted: settings.planted,
            trace: self.folder + "/trace")
        let dialogue = try startFaulty(.group(program))
        while let line = try dialogue.next() {
            if line.contains("untyped") { throw HarnessFailure("the saves themselves: \(line)") }
        }
        return try TracedCall.all(inFile: self.folder + "/trace")
    }
}
