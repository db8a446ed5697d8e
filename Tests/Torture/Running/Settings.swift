import Cairn
import CairnTestSupport
import Foundation

/// The settings of a run of the harness.
struct Settings: Sendable {
    var engines: [StoreType]
    var workload: String
    var seed: UInt64
    /// The maximum number of trials of a part with one engine. If `nil`, the part decides.
    var pointCount: Int?
    var isLong: Bool
    /// The name of the only trial to run.
    var point: String?
    var planted: PlantedDefect?
    var laneCount: Int
    /// The folder in which stores are created.
    var folder: String
    /// The path of the fault library.
    var shim: String

    func subject(_ engine: StoreType, _ folder: String) -> Subject {
        Subject(engine: engine.rawValue, workload: workload, seed: seed, folder: folder)
    }

    /// Returns the command that reproduces a trial.
    func command(_ part: String, _ engine: StoreType, _ trial: String) -> String {
        "script/torture --part \(part) --engine \(engine.rawValue) --point '\(trial)'"
            + " --workload \(workload) --seed \(seed)"
            + (planted.map { " --planted \($0.rawValue)" } ?? "")
    }
}

extension Settings {
    /// Chooses `count` trials. The same seed always chooses the same trials.
    func sample(of trials: [Trial], count: Int) -> [Trial] {
        if count >= trials.count { return trials }
        var random = SeededRandom(seed: seed)
        return Array(trials.shuffled(using: &random).prefix(count))
    }
}
