import Cairn

/// One way to try an engine. A new one is a type that conforms, and one line in ``Parts``.
protocol Part: Sendable {
    /// What `--part` and reports call it.
    var name: String { get }

    /// The defects that this part must find, each in an engine in which it shows.
    var planted: [(defect: PlantedDefect, engine: StoreType)] { get }

    /// Returns what keeps the part from running on this machine. Returns `nil` if nothing does. The
    /// default implementation returns `nil`.
    func obstacle(_ settings: Settings) -> String?

    /// How many trials one engine gets, of those there are: in the short form, in the long form, and
    /// while the part looks for a planted defect. `nil` means all.
    func trialCount(_ settings: Settings) -> Int?

    /// Every trial of an engine, in any order.
    func trials(_ engine: StoreType, _ settings: Settings, _ lane: Lane) throws -> [Trial]
}

extension Part {
    func obstacle(_ settings: Settings) -> String? { nil }
}

/// Every part there is.
enum Parts {
    static let all: [any Part] = [
        KillPart(), FaultPart(), ReplacedPart(), ReplacedWithinPart(), MemoryPart(),
        RandomKillPart(), MigrationPart(), StartTogetherPart(), SeveralStoresPart(),
        JournalPart(), RacePart(), PowerCutPart(),
    ]
}

/// One try, which `--point` repeats by its name.
struct Trial: Sendable {
    var name: String
    var run: @Sendable (Lane) throws -> Verdict
}

/// What came of a trial.
struct Verdict: Sendable {
    /// Whether what was planned happened. A trial that comes to its end first tries nothing.
    var isReached = true
    /// How many tries it stands for.
    var count = 1
    /// Saves that were acknowledged, and looked for.
    var savesChecked = 0
    var problems: [String] = []
}
