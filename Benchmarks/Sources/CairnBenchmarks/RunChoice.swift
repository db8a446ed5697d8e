import ArgumentParser
import BenchmarkKit
import Workloads

/// The choice of rows, and how often they run.
struct RunChoice: ParsableArguments {
    @Option(
        name: .long, parsing: .upToNextOption,
        help: "How many objects a store holds. (default: 100000)")
    var size: [Int] = []

    @Option(
        name: .long, parsing: .upToNextOption,
        help: "Rows to run, by the names that --list shows. (default: all)")
    var workload: [String] = []

    @Option(
        name: .long, parsing: .upToNextOption,
        help: "Engines, by their types, or “all”. (default: this program's own)")
    var engine: [String] = []

    @Option(help: "How many rounds are counted. (default: 7)")
    var rounds: Int?

    @Option(
        name: .customLong("repeat"),
        help: "Runs everything so many times; each figure is the median of the runs.")
    var runs = 1

    @Option(help: "Seconds after which a row leaves rounds out, down to 3.")
    var limit = 60

    @Flag(help: "10,000 objects and 3 rounds.")
    var quick = false

    @Flag(help: "1,000 objects, each contender once: compares checksums, and shows no times.")
    var smoke = false

    @Flag(help: "Leaves peers and controls out.")
    var noPeers = false

    @Option(help: "The folder to make stores in. (default: the system's for temporary files)")
    var directory: String?

    var sizes: [Int] { size.isEmpty ? [smoke ? 1_000 : quick ? 10_000 : 100_000] : size }
    var roundCount: Int { rounds ?? (smoke ? 1 : quick ? 3 : 7) }

    /// Returns the chosen rows, in their order.
    func chosen(of rows: [any Workload<Setting>]) -> [any Workload<Setting>] {
        let wanted = Set(workload.map { $0.lowercased() })
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
                throw ValidationError("--engine \(name): there are \(all).")
            }
            return type
        }
    }

    /// Checks the options.
    ///
    /// - Throws: `ValidationError`, which names the invalid value and the valid ones.
    func check() throws {
        if let size = size.first(where: { $0 < 1_000 }) {
            throw ValidationError("--size \(size): a store has at least 1000 objects.")
        }
        if runs < 1 { throw ValidationError("--repeat \(runs): at least 1.") }
        if let rounds, rounds < 1 { throw ValidationError("--rounds \(rounds): at least 1.") }
        let known = Set(Catalogue.workloads.map { $0.name.lowercased() })
        if let name = workload.first(where: { !known.contains($0.lowercased()) }) {
            throw ValidationError("--workload \(name): there is no such row; see --list.")
        }
    }
}
