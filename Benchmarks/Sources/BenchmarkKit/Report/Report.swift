/// Everything that a run measured: what `--json` writes and `--compare` reads.
///
/// The form is described in `Benchmarks/README.md`; names are not changed without a new ``format``.
public struct Report: Sendable, Codable {
    /// The form's number; raised when a reader of the form before would misread it.
    public static let currentFormat = 1

    /// The form's number.
    public var format = Report.currentFormat
    /// When the run began, ISO 8601.
    public var date: String
    /// Where it ran.
    public var machine: Machine
    /// How many rounds were counted.
    public var rounds: Int
    /// In the order in which they were run.
    public var rows: [RowResult]
    /// How many runs of the whole program each figure is the median of. `nil`: one.
    public var runs: Int?
    /// Rows that say nothing on an engine. `nil` in reports of earlier versions.
    public var leftOut: [LeftOutRow]?

    /// - Parameters:
    ///   - date: when the run began, ISO 8601.
    ///   - machine: where it ran.
    ///   - rounds: how many were counted.
    ///   - rows: in the order in which they were run.
    public init(date: String, machine: Machine, rounds: Int, rows: [RowResult] = []) {
        self.date = date
        self.machine = machine
        self.rounds = rounds
        self.rows = rows
    }
}

/// A row that was not run on an engine, because it would say nothing there.
public struct LeftOutRow: Sendable, Codable, Hashable {
    /// What `--workload` calls it.
    public var workload: String
    /// The engine's type, such as `SQLite`.
    public var engine: String
    /// Why the row would say nothing.
    public var because: String

    /// - Parameters:
    ///   - workload: what `--workload` calls the row.
    ///   - engine: the engine's type.
    ///   - because: why the row would say nothing.
    public init(workload: String, engine: String, because: String) {
        self.workload = workload
        self.engine = engine
        self.because = because
    }
}

/// Where a run was made.
public struct Machine: Sendable, Codable, Hashable {
    /// The processor's name.
    public var processor: String
    /// How many cores there are.
    public var cores: Int
    /// The system's name and version.
    public var system: String
    /// Libraries by name, with their versions.
    public var libraries: [String: String]

    /// - Parameters:
    ///   - processor: its name.
    ///   - cores: how many there are.
    ///   - system: its name and version.
    ///   - libraries: by name, with their versions.
    public init(processor: String, cores: Int, system: String, libraries: [String: String]) {
        self.processor = processor
        self.cores = cores
        self.system = system
        self.libraries = libraries
    }
}

/// One part of a row on one engine at one size.
public struct RowResult: Sendable, Codable {
    /// What `--workload` calls it.
    public var workload: String
    /// The part of the row; empty where there is one.
    public var part: String
    /// What is done.
    public var title: String
    /// What is to be reached, held fixed and varied.
    public var about: About
    /// The engine's type, such as `SQLite`.
    public var engine: String
    /// How many objects the store holds.
    public var size: Int
    /// What one operation is.
    public var unit: String
    /// What a save that returned survives.
    public var durability: String
    /// The column of the first table that the row is shown in; `nil`: it is not in that table.
    public var headline: Headline?
    /// What the row waits for; nil: it was measured.
    public var needs: String?
    /// Empty where the row was not measured.
    public var contenders: [ContenderResult]

    /// - Parameters:
    ///   - contest: what was run; nil: nothing.
    ///   - needs: what the row waits for.
    public init(
        of workload: some Workload, engine: String, size: Int, contest: Contest?,
        needs: String? = nil, contenders: [ContenderResult] = []
    ) {
        self.workload = workload.name
        part = contest?.part ?? ""
        title = workload.title
        about = workload.about
        self.engine = engine
        self.size = size
        unit = contest?.unit ?? ""
        durability = contest?.durability ?? ""
        headline = contest?.headline
        self.needs = needs
        self.contenders = contenders
    }
}

/// What one contender of a row took.
public struct ContenderResult: Sendable, Codable {
    /// Unique in the row.
    public var name: String
    /// What it is there for.
    public var role: Contender.Role
    /// What it should reach.
    public var goal: Goal?
    /// Whether it does; nil: it has no goal, or what the goal is about was not measured.
    public var isGoalMet: Bool?
    /// Processor nanoseconds of one operation.
    public var cpu: Summary
    /// Wall nanoseconds of one operation.
    public var wall: Summary
    /// Processor time over the baseline's; nil: there is no baseline.
    public var ratio: Ratio?
    /// Time on the wall over the baseline's. `nil` without a baseline, or without a goal for the wall.
    public var wallRatio: Ratio?
    /// Memory of one object.
    public var bytesPerObject: Double?
    /// The size of the store's files afterwards.
    public var fileBytes: Int?
    /// How far the process's memory rose in the first round.
    public var peakBytes = 0
    /// Of what was read or stored; the same for every contender of the row.
    public var checksum: UInt64 = 0

    /// - Parameters:
    ///   - name: unique in the row.
    ///   - role: what it is there for.
    ///   - goal: what it should reach.
    ///   - cpu: processor nanoseconds of one operation.
    ///   - wall: wall nanoseconds of one operation.
    public init(
        name: String, role: Contender.Role, goal: Goal? = nil, cpu: Summary, wall: Summary
    ) {
        self.name = name
        self.role = role
        self.goal = goal
        self.cpu = cpu
        self.wall = wall
    }
}
