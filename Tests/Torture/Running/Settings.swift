import Cairn
import CairnTestSupport
import Foundation

/// What a run of the harness is asked for.
struct Settings: Sendable {
    var engines: [StoreType]
    var workload: String
    var seed: UInt64
    /// The most trials of a part with one engine; `nil`: as many as the part says.
    var pointCount: Int?
    var isLong: Bool
    /// The only trial to make.
    var point: String?
    var planted: PlantedDefect?
    var laneCount: Int
    /// Where stores are made.
    var folder: String
    /// The library for faults.
    var shim: String

    func subject(_ engine: StoreType, _ folder: String) -> Subject {
        Subject(engine: engine.rawValue, workload: workload, seed: seed, folder: folder)
    }

    /// The command that makes one trial again.
    func command(_ part: String, _ engine: StoreType, _ trial: String) -> String {
        "script/torture --part \(part) --engine \(engine.rawValue) --point '\(trial)'"
            + " --workload \(workload) --seed \(seed)"
            + (planted.map { " --planted \($0.rawValue)" } ?? "")
    }
}

extension Settings {
    /// Chooses that many trials, the same ones for the same seed.
    func sample(of trials: [Trial], count: Int) -> [Trial] {
        if count >= trials.count { return trials }
        var random = SeededRandom(seed: seed)
        return Array(trials.shuffled(using: &random).prefix(count))
    }
}
