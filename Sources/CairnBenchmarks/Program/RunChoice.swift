import ArgumentParser

/// The choice of rows, and how often they run.
struct RunChoice: ParsableArguments {
    @Option(
        name: .long, parsing: .upToNextOption,
        help: "The number of objects in a store; several can be given. (default: 100000)")
    var size: [Int] = []

    @Option(
        name: .long, parsing: .upToNextOption,
        help: "The rows to run, by name; see --list. (default: all)")
    var workload: [String] = []

    @Option(
        name: .long, parsing: .upToNextOption,
        help: "The engines to measure, by type, or “all”. (default: the program's own)")
    var engine: [String] = []

    @Option(help: "The number of rounds to measure. (default: 7)")
    var rounds: Int?

    @Option(
        name: .customLong("repeat"),
        help: "The number of times to run everything. Each figure is the median of the runs.")
    var runs = 1

    @Option(help: "The seconds after which a row runs fewer rounds, but at least 3.")
    var limit = 60

    @Flag(help: "Measure 3 rounds with 10,000 objects.")
    var quick = false

    @Flag(help: "Run each contender once with 1,000 objects, to compare checksums. Shows no times.")
    var smoke = false

    @Flag(help: "Leave out peers and controls.")
    var noPeers = false

    @Option(help: "The folder for the stores. (default: the system's temporary folder)")
    var directory: String?

    var sizes: [Int] { size.isEmpty ? [smoke ? 1_000 : quick ? 10_000 : 100_000] : size }
    var roundCount: Int { rounds ?? (smoke ? 1 : quick ? 3 : 7) }

    /// Returns the chosen rows, in their order.
    ///
    /// - Throws: `ValidationError`, which names a row that does not exist.
    func chosen(of rows: [any Workload<Setting>]) throws -> [any Workload<Setting>] {
        let wanted = Set(workload.map { $0.lowercased() })
        let known = Set(rows.map { $0.name.lowercased() })
        if let name = workload.first(where: { !known.contains($0.lowercased()) }) {
            throw ValidationError("--workload \(name): there is no such row; see --list.")
        }
        return rows.filter {
            wanted.isEmpty || wanted.contains($0.name.lowercased())
        }
    }

    /// Returns the contest without the contenders that were not requested.
    func trimmed(_ contest: Contest) -> Contest {
        guard noPeers else { return contest }
        var contest = contest
        contest.contenders.removeAll { [.peer, .control].contains($0.role) }
        return contest
    }

    /// Returns the types of the engines to measure.
    ///
    /// - Throws: `ValidationError`, which names the invalid engine and the available ones.
    func engines(of measured: MeasuredEngines) throws -> [String] {
        guard !engine.isEmpty else { return measured.standard }
        if engine.map({ $0.lowercased() }) == ["all"] { return measured.all }
        return try engine.map { name in
            guard let type = measured.type(named: name) else {
                let all = measured.all.joined(separator: ", ")
                throw ValidationError(
                    "--engine \(name): there is no such engine. The engines are \(all).")
            }
            return type
        }
    }

    /// Checks the options.
    ///
    /// - Throws: `ValidationError`, which names the invalid value and the valid ones.
    func check() throws {
        if let size = size.first(where: { $0 < 1_000 }) {
            throw ValidationError("--size \(size): the size must be at least 1000.")
        }
        if runs < 1 { throw ValidationError("--repeat \(runs): the number must be at least 1.") }
        if let rounds, rounds < 1 {
            throw ValidationError("--rounds \(rounds): the number must be at least 1.")
        }
    }
}
