import Cairn

/// A part of the harness, which tests an engine in one way. To add a part, conform a type to this protocol
/// and add it to ``Parts``.
protocol Part: Sendable {
    /// The name that `--part` and reports use.
    var name: String { get }

    /// The defects that this part must find, each with an engine in which it is visible.
    var planted: [(defect: PlantedDefect, engine: StoreType)] { get }

    /// Returns the reason for which the part cannot run on this machine, or `nil` if it can. The default
    /// implementation returns `nil`.
    func obstacle(_ settings: Settings) -> String?

    /// Returns how many of the trials to run with one engine: in the short form, in the long form, and while
    /// the part looks for a planted defect. `nil` means all.
    func trialCount(_ settings: Settings) -> Int?

    /// Returns all trials of an engine, in any order.
    func trials(_ engine: StoreType, _ settings: Settings, _ lane: Lane) throws -> [Trial]
}

extension Part {
    func obstacle(_ settings: Settings) -> String? { nil }
}

/// All parts of the harness.
enum Parts {
    static let all: [any Part] = [
        KillPart(), FaultPart(), ReplacedPart(), ReplacedWithinPart(), MemoryPart(),
        RandomKillPart(), MigrationPart(), StartTogetherPart(), SeveralStoresPart(),
        GroupPart(), BatchPart(), JournalPart(), BackupPart(), RacePart(), PowerCutPart(),
    ]
}

/// A single trial, which `--point` can repeat by its name.
struct Trial: Sendable {
    var name: String
    var run: @Sendable (Lane) throws -> Verdict
}

/// The result of a trial.
struct Verdict: Sendable {
    /// Whether the planned fault happened. A trial that ends first proves nothing.
    var isReached = true
    /// The number of attempts that the trial represents.
    var count = 1
    /// The number of acknowledged saves whose presence was checked.
    var savesChecked = 0
    var problems: [String] = []
}
