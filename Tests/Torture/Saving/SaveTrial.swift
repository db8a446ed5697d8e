import Cairn
import Foundation

/// A trial in which a program that saves to several stores meets one fault. The stores are then checked.
struct SaveTrial: Sendable {
    /// The phase of the program in which the fault happens.
    enum Phase: String, CaseIterable {
        /// The program saves.
        case saving
        /// The program opens stores, one of which lacks a committed save, and then saves.
        case finishing

        var saves: ClosedRange<Int> { self == .saving ? 1...2 : 2...2 }
    }

    /// How the stores are used after the fault.
    enum Sequel: String, CaseIterable {
        /// By a program that already has them open and fetches continuously.
        case watched
        /// One at a time, in reverse order.
        case reversed
        /// One at a time by two programs simultaneously, in opposite orders.
        case twice
        /// All together.
        case together

        /// Returns the sequels in rotation.
        static func taking(_ index: Int) -> Sequel { allCases[index % allCases.count] }
    }

    private let bank: BankSample
    private let phase: Phase
    private let fault: Fault
    private let sequel: Sequel
    private let planted: PlantedDefect?
    private let fileSystem: LoopDisk.FileSystem?

    /// Creates a trial.
    ///
    /// - Parameter fileSystem: The file system of a separate disk for the trial. If `nil`, the trial uses a
    ///   folder of the harness.
    init(
        _ bank: BankSample, _ phase: Phase, _ fault: Fault, _ sequel: Sequel,
        _ planted: PlantedDefect?, on fileSystem: LoopDisk.FileSystem? = nil
    ) {
        (self.bank, self.phase, self.fault) = (bank, phase, fault)
        (self.sequel, self.planted, self.fileSystem) = (sequel, planted, fileSystem)
    }

    var trial: Trial {
        let name = BankSample.name(of: bank.engines)
        let disk = fileSystem.map { " \($0.rawValue)" } ?? ""
        return Trial(name: "\(name) \(phase.rawValue) \(fault) \(sequel.rawValue)\(disk)") { lane in
            try run(lane)
        }
    }

    private var kills: Bool { fault.kind.kills }

    private func run(_ lane: Lane) throws -> Verdict {
        let folder = try lane.newFolder()
        defer { lane.remove(folder) }
        guard let fileSystem else { return try run(lane, in: folder, disk: nil) }
        let disk = try LoopDisk(copying: try lane.emptyDisk(fileSystem), in: folder)
        let verdict = Result {
            let stores = disk.folder + "/stores"
            try FileManager.default.createDirectory(
                atPath: stores, withIntermediateDirectories: false)
            return try run(lane, in: stores, disk: disk)
        }
        try disk.unmount()
        return try verdict.get()
    }

    private func run(_ lane: Lane, in folder: String, disk: LoopDisk?) throws -> Verdict {
        let subject = try bank.copy(to: folder)
        try disk?.synchronize()
        if phase == .finishing { try lane.interruptSave(of: subject) }
        var verdict = Verdict(isReached: false)
        // The watching program must see only complete states, also while the saving program is alive.
        let isWatched = phase == .saving && disk == nil && (sequel == .watched || !kills)
        let watch = isWatched ? try startWatch(lane, subject) : nil
        let last = try runProgram(lane, subject, &verdict)
        if let watch {
            try watch.tell("")
            verdict.problems += try Self.problems(of: watch) { $0.hasPrefix("fetched ") }
        }
        try disk?.restart()
        try check(lane, subject, last, &verdict)
        verdict.savesChecked = last.acknowledged
        return verdict
    }

    private func startWatch(_ lane: Lane, _ subject: BankSubject) throws -> Dialogue {
        let watch = TotalWatch(subject: subject, planted: planted)
        return try lane.startTogether([.watchTotal(watch)])[0]
    }

    /// Returns the last acknowledged save and the last save that was begun.
    private func runProgram(
        _ lane: Lane, _ subject: BankSubject, _ verdict: inout Verdict
    ) throws -> (acknowledged: Int, begun: Int) {
        var program = TransferProgram(subject: subject, saves: phase.saves)
        (program.fault, program.planted) = (fault, planted)
        program.isArmedAtOpening = phase == .finishing
        let dialogue = try lane.startFaulty(.transfer(program))
        let before = phase.saves.lowerBound - 1
        var (acknowledged, begun) = (before, before)
        while let line = try dialogue.next() {
            let words = line.split(separator: " ")
            let number = words.count > 1 ? Int(words[1]) ?? 0 : 0
            switch words.first {
            case "began": begun = number
            case "saved", "pending": acknowledged = number
            case "refused": break
            case "failed":
                if words.count > 2, words[2] == "untyped" { verdict.problems.append(line) }
            case "look":
                let check = BankCheck(
                    subject: subject, order: Array(subject.engines.indices),
                    acknowledged: acknowledged, begun: acknowledged, finishes: false)
                verdict.problems += try Self.problems(lane.runSound(.checkBank(check)))
                try dialogue.tell("")
            case "done": verdict.isReached = line == "done true"
            default: verdict.problems.append(line)
            }
        }
        if dialogue.end == "signal 9", kills {
            verdict.isReached = true
        } else if dialogue.end != "code 0" {
            verdict.problems.append("the program ended with \(dialogue.end)")
        } else if acknowledged != phase.saves.upperBound {
            verdict.problems.append("the program made \(acknowledged) saves")
        }
        return (acknowledged, begun)
    }

    private func check(
        _ lane: Lane, _ subject: BankSubject, _ last: (acknowledged: Int, begun: Int),
        _ verdict: inout Verdict
    ) throws {
        let places = Array(subject.engines.indices)
        var check = BankCheck(
            subject: subject, order: places, acknowledged: last.acknowledged, begun: last.begun,
            planted: planted)
        switch sequel {
        case .watched: break
        case .reversed: check.order = places.reversed()
        case .together: check.order = nil
        case .twice:
            check.finishes = false
            check.waits = true
            var other = check
            other.order = places.reversed()
            for dialogue in try lane.startTogether([.checkBank(check), .checkBank(other)]) {
                verdict.problems += try Self.problems(of: dialogue) { $0.hasPrefix("state ") }
            }
            check.finishes = true
            check.waits = false
        }
        verdict.problems += try Self.problems(lane.runSound(.checkBank(check)))
    }

    static func problems(_ lines: [String]) -> [String] {
        lines.filter { !$0.hasPrefix("state ") }
    }

    static func problems(
        of dialogue: Dialogue, except isExpected: (String) -> Bool
    ) throws -> [String] {
        var problems: [String] = []
        while let line = try dialogue.next() {
            if !isExpected(line) { problems.append(line) }
        }
        if dialogue.end != "code 0" { problems.append("a program ended with \(dialogue.end)") }
        return problems
    }
}

extension Lane {
    /// Runs a saving program without a fault, and returns its mutating calls.
    func trace(
        _ bank: BankSample, _ phase: SaveTrial.Phase, _ settings: Settings
    ) throws -> [TracedCall] {
        let folder = try newFolder("traced")
        defer { remove(folder) }
        let subject = try bank.copy(to: folder)
        if phase == .finishing { try interruptSave(of: subject) }
        return try calls(of: subject, phase.saves, atOpening: phase == .finishing)
    }

    func calls(
        of subject: BankSubject, _ saves: ClosedRange<Int>, atOpening: Bool = false
    ) throws -> [TracedCall] {
        var program = TransferProgram(subject: subject, saves: saves)
        program.trace = folder + "/trace"
        program.isArmedAtOpening = atOpening
        let dialogue = try startFaulty(.transfer(program))
        var said: [String] = []
        while let line = try dialogue.next() { said.append(line) }
        guard said.contains("saved \(saves.upperBound)"), dialogue.end == "code 0" else {
            throw HarnessFailure("transfers without a fault: \(said), \(dialogue.end)")
        }
        return try TracedCall.all(inFile: folder + "/trace")
    }

    /// Leaves the first save of stores unfinished, like a program that is killed after all stores except the
    /// last have committed.
    func interruptSave(of subject: BankSubject) throws {
        let copy = try newFolder("interrupted")
        defer { remove(copy) }
        var other = subject
        other.folder = copy
        for name in try FileManager.default.contentsOfDirectory(atPath: subject.folder) {
            try FileManager.default.copyItem(
                atPath: subject.folder + "/" + name, toPath: copy + "/" + name)
        }
        let calls = try calls(of: other, 1...1)
        guard let commit = TracedCall.lastCommit(in: calls) else {
            throw HarnessFailure("no store commits after the journal has its name")
        }
        var program = TransferProgram(subject: subject, saves: 1...1)
        program.fault = Fault(kind: .kill, at: commit + 1)
        let dialogue = try startFaulty(.transfer(program))
        while try dialogue.next() != nil {}
    }
}

extension TracedCall {
    /// Returns the index of the call with which the last store of a save over several stores begins to
    /// commit.
    static func lastCommit(in calls: [TracedCall]) -> Int? {
        let pending = "-pending"
        guard
            let journal = calls.lastIndex(where: {
                $0.name == "rename" && $0.path.contains(pending)
            }),
            let end = calls[journal...].firstIndex(where: {
                $0.name == "unlink" && $0.path.contains(pending)
            })
        else { return nil }
        let commits = calls[journal..<end].indices.filter {
            calls[$0].path.hasPrefix("/store-") && !calls[$0].path.contains(pending)
        }
        guard let last = commits.last else { return nil }
        let store = calls[last].path.prefix("/store-0".count)
        return commits.first { calls[$0].path.hasPrefix(store) }
    }
}
