/// All measurements of a run, which `--json` writes and `--compare` reads.
///
/// `Benchmarks/README.md` describes the format. Names are not changed without a new ``format``.
package struct Report: Sendable, Codable {
    /// The current format number. It is increased when a reader of the previous format would misread the
    /// file.
    package static let currentFormat = 1

    /// The format number.
    package var format = Report.currentFormat
    /// The start of the run, in ISO 8601 format.
    package var date: String
    /// The machine on which the run was made.
    package var machine: Machine
    /// The number of counted rounds.
    package var rounds: Int
    /// The rows, in the order in which they were run.
    package var rows: [RowResult]
    /// How many times the whole program was run. Each figure is the median of these runs. `nil` means once.
    package var runs: Int?
    /// The rows that are meaningless on an engine. `nil` in reports of earlier versions.
    package var leftOut: [LeftOutRow]?
    /// The properties of the engines. `nil` in reports of earlier versions, and in those about a user's store.
    package var engines: [EngineFacts]?

    /// Creates a report.
    ///
    /// - Parameters:
    ///   - date: The start of the run, in ISO 8601 format.
    ///   - machine: The machine on which the run was made.
    ///   - rounds: The number of counted rounds.
    ///   - rows: The rows, in the order in which they were run.
    package init(date: String, machine: Machine, rounds: Int, rows: [RowResult] = []) {
        self.date = date
        self.machine = machine
        self.rounds = rounds
        self.rows = rows
    }
}

/// A row that was not run on an engine, because it would be meaningless there.
package struct LeftOutRow: Sendable, Codable, Hashable {
    /// The row's name for `--workload`.
    package var workload: String
    /// The engine's type, such as `SQLite`.
    package var engine: String
    /// The reason for which the row is meaningless.
    package var because: String

    /// Creates a left-out row.
    ///
    /// - Parameters:
    ///   - workload: The row's name for `--workload`.
    ///   - engine: The engine's type.
    ///   - because: The reason for which the row is meaningless.
    package init(workload: String, engine: String, because: String) {
        self.workload = workload
        self.engine = engine
        self.because = because
    }
}

/// The machine on which a run was made.
package struct Machine: Sendable, Codable, Hashable {
    /// The processor's name.
    package var processor: String
    /// The number of cores.
    package var cores: Int
    /// The system's name and version.
    package var system: String
    /// The versions of libraries, by name.
    package var libraries: [String: String]

    /// Creates a description of a machine.
    ///
    /// - Parameters:
    ///   - processor: The processor's name.
    ///   - cores: The number of cores.
    ///   - system: The system's name and version.
    ///   - libraries: The versions of libraries, by name.
    package init(processor: String, cores: Int, system: String, libraries: [String: String]) {
        self.processor = processor
        self.cores = cores
        self.system = system
        self.libraries = libraries
    }
}

/// One part of a row on one engine at one size.
package struct RowResult: Sendable, Codable {
    /// The row's name for `--workload`.
    package var workload: String
    /// The part of the row. Empty if the row has only one part.
    package var part: String
    /// A short description of the work.
    package var title: String
    /// The goal, what is held fixed, and what varies.
    package var about: About
    /// The engine's type, such as `SQLite`.
    package var engine: String
    /// The number of objects in the store.
    package var size: Int
    /// The meaning of one operation.
    package var unit: String
    /// The kind of failure that an acknowledged save survives.
    package var durability: String
    /// The column of the overview table that shows the row, or `nil` if that table does not show it.
    package var headline: Headline?
    /// The missing feature for which the row waits, or `nil` if the row was measured.
    package var needs: String?
    /// The results of the contenders. Empty if the row was not measured.
    package var contenders: [ContenderResult]

    /// Creates the result of a row.
    ///
    /// - Parameters:
    ///   - contest: The contest that was run, or `nil` if nothing was run.
    ///   - needs: The missing feature for which the row waits.
    package init(
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

/// The result of one contender of a row.
package struct ContenderResult: Sendable, Codable {
    /// The name, which is unique in the row.
    package var name: String
    /// The purpose of the contender.
    package var role: Contender.Role
    /// The goal, if any.
    package var goal: Goal?
    /// Whether the goal was met, or `nil` if the contender has no goal or the goal's quantity was not
    /// measured.
    package var isGoalMet: Bool?
    /// The processor time of one operation in nanoseconds.
    package var cpu: Summary
    /// The wall-clock time of one operation in nanoseconds.
    package var wall: Summary
    /// The processor time relative to the baseline, or `nil` if there is no baseline.
    package var ratio: Ratio?
    /// The wall-clock time relative to the baseline. `nil` if there is no baseline or no goal for wall-clock
    /// time.
    package var wallRatio: Ratio?
    /// The memory of one object.
    package var bytesPerObject: Double?
    /// The size of the store's files afterwards.
    package var fileBytes: Int?
    /// How far the memory of the process rose in the first round.
    package var peakBytes = 0
    /// A checksum of the data that was read or stored. It is the same for every contender of the row.
    package var checksum: UInt64 = 0

    /// Creates a result.
    ///
    /// - Parameters:
    ///   - name: The name, which is unique in the row.
    ///   - role: The purpose of the contender.
    ///   - goal: The goal, if any.
    ///   - cpu: The processor time of one operation in nanoseconds.
    ///   - wall: The wall-clock time of one operation in nanoseconds.
    package init(
        name: String, role: Contender.Role, goal: Goal? = nil, cpu: Summary, wall: Summary
    ) {
        self.name = name
        self.role = role
        self.goal = goal
        self.cpu = cpu
        self.wall = wall
    }
}

/// The error for a file that is not a report with which another can be compared.
package enum ReportFileError: Error, CustomStringConvertible {
    /// The file is not JSON, or lacks a value.
    case unreadable(String, String)
    /// The file has another format.
    case otherFormat(String, Int)

    /// A description of the failure, and advice.
    package var description: String {
        switch self {
        case .unreadable(let path, let detail):
            "\(path) is no report of cairn-bench: \(detail). Make one with --json."
        case .otherFormat(let path, let format):
            "\(path) has format \(format); this version reads \(Report.currentFormat). "
                + "Run the older version's benchmarks again with this one."
        }
    }
}
