import Cairn
import CairnTestSupport
import Foundation

/// Starts several programs on old stores simultaneously, or one program while a program of the old version
/// has the stores open.
struct StartTogetherPart: Part {
    let name = "start-together"

    let planted: [(defect: PlantedDefect, engine: StoreType)] = [(.ignoresUsers, .binary)]

    /// A combination of programs.
    enum Cast: String, CaseIterable {
        /// Two or three programs of the new version.
        case two, three
        /// Two programs of the new version, and one of the old version that saves and ends.
        case older
        /// One program of the new version, while one of the old version has the stores open.
        case held

        func count(isLong: Bool) -> Int {
            switch self {
            case .two: isLong ? 200 : 3
            case .three: isLong ? 100 : 2
            case .older: isLong ? 100 : 2
            // The program waits two seconds for the other one.
            case .held: isLong ? 10 : 1
            }
        }

        var newCount: Int {
            switch self {
            case .two, .older: 2
            case .three: 3
            case .held: 1
            }
        }
    }

    func trialCount(_ settings: Settings) -> Int? { nil }

    func trials(_ engine: StoreType, _ settings: Settings, _ lane: Lane) throws -> [Trial] {
        // Programs that move the same objects would be in conflict with each other.
        let samples = try lane.migrationSamples(of: engine).filter { $0.change != .split }
        // The first trials are those that reveal planted defects soonest.
        return Cast.allCases.reversed().flatMap { cast in
            (0..<cast.count(isLong: settings.isLong)).map { number in
                // Each number has different delays, and the kinds of stores alternate.
                let sample = samples[number % samples.count]
                return Trial(name: "\(cast.rawValue) \(number)") { lane in
                    var trial = StartTogetherTrial(
                        cast, sample, lane, settings.planted,
                        SeededRandom(seed: settings.seed &+ UInt64(number)))
                    return try trial.run()
                }
            }
        }
    }
}

/// A trial in which several programs are started.
private struct StartTogetherTrial {
    let cast: StartTogetherPart.Cast
    let sample: MigrationSample
    let lane: Lane
    let planted: PlantedDefect?
    var random: SeededRandom
    private var verdict = Verdict()
    private var migratedCount = 0
    private var renameCount = 0
    private var wasSaved = false

    init(
        _ cast: StartTogetherPart.Cast, _ sample: MigrationSample, _ lane: Lane,
        _ planted: PlantedDefect?, _ random: SeededRandom
    ) {
        (self.cast, self.sample, self.lane) = (cast, sample, lane)
        (self.planted, self.random) = (planted, random)
    }

    mutating func run() throws -> Verdict {
        let folder = try lane.newFolder()
        defer { lane.remove(folder) }
        let subject = try sample.copy(to: folder)
        switch cast {
        case .held: try startWhileHeld(subject)
        case .two, .three, .older: try startTogether(subject)
        }
        let check = MigrationCheck(
            subject: subject, mayBeLeft: false, finishes: true, wasSaved: wasSaved)
        let lines = try lane.runSound(.checkMigration(check))
        verdict.problems += lines.filter { !$0.hasPrefix("state ") }
        let expected = cast == .held ? "state old" : "state new"
        if lines.first != expected { verdict.problems.append("not \(expected), but \(lines)") }
        return verdict
    }

    // MARK: Together

    private mutating func startTogether(_ subject: MigrationSubject) throws {
        let traces = (0..<cast.newCount).map { lane.folder + "/trace-\($0)" }
        var programs = traces.map { trace in
            Assignment.migrate(
                MigratingProgram(
                    subject: subject, planted: planted, trace: trace, delay: delay(),
                    compares: true))
        }
        if cast == .older {
            programs.append(
                .useOld(OlderProgram(subject: subject, delay: delay(), holds: false)))
        }
        let dialogues = try lane.startTogether(programs)
        for dialogue in dialogues { try note(dialogue) }
        let names = sample.change.fileNames
        for trace in traces {
            // A program that found the stores already migrated may have changed nothing.
            let text = try String(contentsOfFile: trace, encoding: .utf8)
            renameCount += TracedCall.all(text).count { $0.isRename(to: names) }
        }
        if migratedCount != names.count {
            verdict.problems.append("\(migratedCount) stores were migrated")
        }
        if sample.copies, renameCount != names.count {
            verdict.problems.append("\(renameCount) stores took a name")
        }
    }

    /// Returns a random delay, up to the duration of a migration.
    private mutating func delay() -> UInt32 { UInt32.random(in: 0...15_000, using: &random) }

    /// Records everything that a program prints until it ends.
    private mutating func note(_ dialogue: Dialogue) throws {
        while let line = try dialogue.next() { note(line) }
        requireEnd(dialogue)
    }

    private mutating func note(_ line: String) {
        let words = line.split(separator: " ")
        switch words.first {
        case "opened": migratedCount += words.count > 1 ? Int(words[1]) ?? 0 : 0
        case "saved": wasSaved = true
        case "done", "closed", "late": break
        default: verdict.problems.append(line)
        }
    }

    private mutating func requireEnd(_ dialogue: Dialogue) {
        if dialogue.end != "code 0" {
            verdict.problems.append("a process ended with \(dialogue.end)")
        }
    }

    // MARK: Held

    private mutating func startWhileHeld(_ subject: MigrationSubject) throws {
        let older = OlderProgram(subject: subject, delay: 0, holds: true)
        let newer = MigratingProgram(subject: subject, planted: planted, delay: 0)
        let dialogues = try lane.startTogether([.useOld(older), .migrate(newer)], begin: 1)
        let (user, migrating) = (dialogues[0], dialogues[1])
        while let line = try user.next() {
            note(line)
            if line == "saved" { break }
        }
        try migrating.tell("")
        var isRefused = false
        while let line = try migrating.next() {
            if line.hasPrefix("unopened inUse") {
                isRefused = true
            } else if line != "done false" {
                verdict.problems.append("while the stores are in use: \(line)")
            }
        }
        requireEnd(migrating)
        if !isRefused { verdict.problems.append("stores in use were not refused as locked") }
        // The program compares the objects that it sees, and closes the stores.
        try user.tell("")
        try note(user)
    }
}
