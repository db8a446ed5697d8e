import Cairn
import CairnTestSupport
import Foundation

/// Kills writers of one store at random moments, and checks the store after each.
struct RandomKillPart: Part {
    let name = "random"

    let planted: [(defect: PlantedDefect, engine: StoreType)] = [(.acknowledgesEarly, .xml)]

    func trialCount(_ settings: Settings) -> Int? { nil }

    private func killCount(_ settings: Settings) -> Int {
        settings.pointCount ?? (settings.isLong ? 10_000 : 20)
    }

    func trials(_ engine: StoreType, _ settings: Settings, _ lane: Lane) throws -> [Trial] {
        [
            Trial(name: "one store") { lane in
                let folder = try lane.newFolder()
                defer { lane.remove(folder) }
                var trial = LongLivedStore(settings.subject(engine, folder), settings, lane)
                for _ in 0..<killCount(settings) where trial.verdict.problems.isEmpty {
                    try trial.killOnce()
                }
                return trial.verdict
            }
        ]
    }
}

/// A store that several writers use in succession.
private struct LongLivedStore {
    let subject: Subject
    let settings: Settings
    let lane: Lane
    private(set) var verdict = Verdict(count: 0)
    /// The number of saves in the store.
    private var state = 0
    private var random: SeededRandom

    init(_ subject: Subject, _ settings: Settings, _ lane: Lane) {
        (self.subject, self.settings, self.lane) = (subject, settings, lane)
        random = SeededRandom(seed: settings.seed)
    }

    /// Starts a writer, kills it after some saves and some microseconds, and checks the store.
    mutating func killOnce() throws {
        let dialogue = try lane.startFaulty(
            .write(
                WritingAssignment(
                    subject: subject, firstStep: state, saveCount: 1_000_000,
                    planted: settings.planted)))
        var saveCount = Int.random(in: 0...5, using: &random)
        var (acknowledged, begun) = (state, state)
        while let line = try dialogue.next() {
            let words = line.split(separator: " ").map(String.init)
            let number = words.count > 1 ? Int(words[1]) ?? 0 : 0
            switch words[0] {
            case "begin": begun = number
            case "saved": acknowledged = number
            case "failed", "unopened", "threw": verdict.problems.append(line)
            default: break
            }
            if ["opened", "saved"].contains(words[0]) {
                if saveCount == 0 {
                    usleep(UInt32.random(in: 0...8000, using: &random))
                    dialogue.killNow()
                }
                saveCount -= 1
            }
        }
        try check(acknowledged, begun)
    }

    private mutating func check(_ acknowledged: Int, _ begun: Int) throws {
        let lines = try lane.runSound(
            .check(
                CheckingAssignment(subject: subject, acknowledged: acknowledged, begun: begun)))
        verdict.problems += lines.filter { $0.hasPrefix("problem ") || $0.hasPrefix("threw ") }
        verdict.count += 1
        verdict.savesChecked += acknowledged - state
        // The check itself also saved.
        let states = lines.filter { $0.hasPrefix("state ") }
        state = states.last.flatMap { Int($0.dropFirst(6)) } ?? state
    }
}
