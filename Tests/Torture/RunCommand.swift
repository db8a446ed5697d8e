import ArgumentParser
import Cairn
import Foundation

/// Runs parts of the harness, and checks that they find their planted defects.
struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Runs parts of the harness and prints what they found.")

    @Option(help: "The engines to try, by their types; all by default.")
    var engine: [String] = []

    @Option(help: "The parts to run; all by default.")
    var part: [String] = []

    @Option(help: "The most trials of each part with each engine.")
    var points: Int?

    @Option(
        help:
            "One trial, by the name that a failure gives; or all that begin with a name before “*”."
    )
    var point: String?

    @Option(help: "The seed of workloads, damage and choices.")
    var seed: UInt64 = 20_261_122

    @Option(help: "The workload of the writers.")
    var workload = "gallery"

    @Flag(help: "Runs every trial there is, and more of the random ones.")
    var long = false

    @Option(help: "Plants this defect and shows what is found; exits with 1 when it is.")
    var planted: PlantedDefect?

    @Flag(help: "Leaves out the planted defects.")
    var skipPlanted = false

    @Option(help: "How many processes write at the same time.")
    var lanes = 2

    @Option(help: "The folder for stores; it should be fast. Default: /dev/shm if it is there.")
    var folder: String?

    @Option(help: "The library for faults, which script/torture builds.")
    var shim: String

    func validate() throws {
        for name in part where !Parts.all.contains(where: { $0.name == name }) {
            throw ValidationError(
                "No part is called “\(name)”: \(Parts.all.map(\.name).joined(separator: ", ")).")
        }
        for name in engine where !Engines.types.contains(StoreType(name)) {
            throw ValidationError("No engine that keeps files is called “\(name)”.")
        }
        guard Workloads.named(workload) != nil else {
            throw ValidationError("No workload is called “\(workload)”.")
        }
        guard (1...64).contains(lanes) else { throw ValidationError("--lanes takes 1 to 64.") }
    }

    func run() throws {
        let folder = try makeFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let settings = Settings(
            engines: engine.isEmpty ? Engines.types : engine.map { StoreType($0) },
            workload: workload, seed: seed, pointCount: points, isLong: long, point: point,
            planted: planted, laneCount: lanes, folder: folder, shim: shim)
        var run = TortureRun(
            settings, parts: Parts.all.filter { part.isEmpty || part.contains($0.name) })
        try run.run(withPlanted: !skipPlanted && planted == nil && point == nil)
        run.report.printTable()
        if run.report.hasFailed { throw ExitCode(1) }
    }

    /// Creates a folder for this run, whose path contains no symbolic links.
    private func makeFolder() throws -> String {
        let parent =
            folder ?? (access("/dev/shm", W_OK) == 0 ? "/dev/shm" : NSTemporaryDirectory())
        guard let real = realpath(parent, nil) else {
            throw ValidationError("There is no folder \(parent).")
        }
        defer { free(real) }
        let path = String(cString: real) + "/cairn-torture-\(getpid())"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        return path
    }
}

extension PlantedDefect: ExpressibleByArgument {}
