import Cairn
import Foundation

/// Runs a program that backs up several stores, or restores them, and kills it at every mutating call, or makes that
/// call fail in every way.
struct BackupPart: Part {
    let name = "backup"

    let planted: [(defect: PlantedDefect, engine: StoreType)] = [
        (.restoresOneByOne, .sqlite), (.backsUpInPieces, .binary), (.backsUpOneByOne, .sqlite),
    ]

    private static let kinds: [(kind: Fault.Kind, stays: [Bool])] = [
        (.kill, [false]), (.tear, [false]), (.noSpace, [false]), (.full, [true]),
        (.ioError, [false, true]), (.short, [false]), (.syncError, [false, true]),
    ]

    func trialCount(_ settings: Settings) -> Int? {
        settings.isLong || settings.planted != nil ? nil : 12
    }

    /// Returns the combinations of stores whose first store belongs to the engine.
    private static func banks(_ engine: StoreType) -> [[StoreType]] {
        engine == .sqlite ? [[.sqlite, .xml], [.sqlite, .lmdb]] : [[engine, .sqlite]]
    }

    func trials(_ engine: StoreType, _ settings: Settings, _ lane: Lane) throws -> [Trial] {
        if settings.planted == .backsUpOneByOne { return races(engine, settings) }
        let faulty = try Self.banks(engine).flatMap { bank in
            let sample = try lane.backup(of: bank)
            return try [false, true].flatMap { restores in
                let calls = try lane.trace(sample, restores: restores, settings)
                return Self.kinds.flatMap { kind, stays in
                    calls.indices.filter { kind.concerns(calls[$0]) }.flatMap { index in
                        stays.map { isSticky in
                            let fault = Fault(kind: kind, at: index + 1, isSticky: isSticky)
                            return trial(sample, restores: restores, fault, settings.planted)
                        }
                    }
                }
            }
        }
        return faulty + races(engine, settings)
    }

    /// Returns trials in which two programs save while another one makes backups.
    private func races(_ engine: StoreType, _ settings: Settings) -> [Trial] {
        let seconds: Double = settings.isLong ? 60 : 3
        let banks = Self.banks(engine) + (engine == .sqlite ? [[.sqlite, .lmdb, .binary]] : [])
        return banks.map { bank in
            Trial(name: "\(BankSample.name(of: bank)) race") { lane in
                let folder = try lane.newFolder()
                defer { lane.remove(folder) }
                let subject = try lane.bank(of: bank).copy(to: folder)
                let savers = (1...2).map {
                    Assignment.race(
                        RacingTransfers(subject: subject, number: $0, seconds: seconds))
                }
                let backups = RacingBackups(
                    subject: subject, seconds: seconds, planted: settings.planted)
                let dialogues = try lane.startTogether(savers + [.raceBackups(backups)])
                var verdict = Verdict()
                var figures: [String] = []
                for dialogue in dialogues {
                    while let line = try dialogue.next() {
                        switch line.split(separator: " ").first {
                        case "began": break
                        case "saved": verdict.savesChecked += 1
                        case "backups", "longest", "conflicts": figures.append(line)
                        default: verdict.problems.append(line)
                        }
                    }
                    if dialogue.end != "code 0" {
                        verdict.problems.append("a program ended with \(dialogue.end)")
                    }
                }
                if settings.point != nil {
                    print("\(verdict.savesChecked) saves, " + figures.joined(separator: ", "))
                }
                return verdict
            }
        }
    }

    private func trial(
        _ sample: BankSample, restores: Bool, _ fault: Fault, _ planted: PlantedDefect?
    ) -> Trial {
        let name =
            "\(BankSample.name(of: sample.engines)) \(restores ? "restore" : "backup") \(fault)"
        return Trial(name: name) { lane in
            let folder = try lane.newFolder()
            defer { lane.remove(folder) }
            let subject = BackupSubject(bank: try sample.copy(to: folder))
            let program = BackupProgram(
                subject: subject, restores: restores, fault: fault, planted: planted)
            let dialogue = try lane.startFaulty(.backUp(program))
            var verdict = Verdict(isReached: false)
            var hasSucceeded = false
            while let line = try dialogue.next() {
                switch line {
                case "succeeded": hasSucceeded = true
                case "done true": verdict.isReached = true
                case "done false": break
                default: if !line.hasPrefix("failed typed") { verdict.problems.append(line) }
                }
            }
            if dialogue.end == "signal 9", fault.kind.kills {
                verdict.isReached = true
            } else if dialogue.end != "code 0" {
                verdict.problems.append("the process ended with \(dialogue.end)")
            }
            let check = BackupCheck(
                subject: subject, restores: restores, hasSucceeded: hasSucceeded,
                first: fault.at % sample.engines.count)
            verdict.problems += try lane.runSound(.checkBackup(check))
            return verdict
        }
    }
}

extension Lane {
    /// Runs the program without a fault, and returns its mutating calls.
    fileprivate func trace(
        _ sample: BankSample, restores: Bool, _ settings: Settings
    ) throws -> [TracedCall] {
        let folder = try newFolder("traced")
        defer { remove(folder) }
        let subject = BackupSubject(bank: try sample.copy(to: folder))
        let program = BackupProgram(
            subject: subject, restores: restores, planted: settings.planted,
            trace: self.folder + "/trace")
        let dialogue = try startFaulty(.backUp(program))
        var said: [String] = []
        while let line = try dialogue.next() { said.append(line) }
        guard said.first == "succeeded" else { throw HarnessFailure("the backup itself: \(said)") }
        return try TracedCall.all(inFile: self.folder + "/trace")
    }
}
