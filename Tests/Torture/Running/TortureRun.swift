import Cairn
import Foundation

/// A run of the harness: each part with each engine, and the defects that the parts must find.
struct TortureRun {
    private let settings: Settings
    private let parts: [any Part]
    private(set) var report = Report()

    init(_ settings: Settings, parts: [any Part]) {
        self.settings = settings
        self.parts = parts
    }

    /// Runs the parts.
    ///
    /// - Parameter withPlanted: Whether to test the harness itself first.
    mutating func run(withPlanted: Bool) throws {
        // A server that has ended should cause an error, not a fatal signal.
        signal(SIGPIPE, SIG_IGN)
        let lanes = try (1...settings.laneCount).map { try LaneThread(settings, number: $0) }
        let obstacles = parts.map { $0.obstacle(settings) }
        let runnable = zip(parts, obstacles).filter { $0.1 == nil }.map(\.0)
        if withPlanted {
            try checkShim(lanes)
            for part in runnable { try findPlanted(part, lanes) }
        }
        for (part, obstacle) in zip(parts, obstacles) {
            if let obstacle {
                report.addNotRun(part.name, "all", obstacle)
                continue
            }
            for engine in settings.engines {
                let run = PartRun(part: part, engine: engine, settings: settings, lanes: lanes)
                report.add(part.name, engine.rawValue, try run.run())
            }
        }
    }

    private mutating func checkShim(_ lanes: [LaneThread]) throws {
        for engine in settings.engines {
            guard ShimCheck.canRun else {
                report.addNotRun("calls seen", engine.rawValue, "there is no \(ShimCheck.tracer)")
                continue
            }
            let check = try ShimCheck.workload(engine, settings)
            var checks = [check]
            if parts.contains(where: { $0.name == MigrationPart().name }) {
                checks += try lanes[0].use { try ShimCheck.migrations(engine, settings, $0) }
            }
            var outcome = PartRun.Outcome()
            outcome.trials = checks.map(\.callCount).reduce(0, +)
            outcome.failures = checks.flatMap { $0.differences() }
            report.add("calls seen", engine.rawValue, outcome)
            report.addPlanted(
                "calls seen", "a library without sync", engine.rawValue,
                found: check.differences(blindTo: "sync").first)
        }
    }

    private mutating func findPlanted(_ part: any Part, _ lanes: [LaneThread]) throws {
        for (defect, engine) in part.planted {
            var settings = settings
            settings.planted = defect
            settings.isLong = false
            settings.pointCount = nil
            func run() throws -> PartRun.Outcome {
                try PartRun(part: part, engine: engine, settings: settings, lanes: lanes)
                    .run(untilFailure: true)
            }
            settings.point = try run().firstFailedTrial
            settings.planted = nil
            // A trial that also fails with the sound engine proves nothing about the defect.
            let sound = try settings.point.map { _ in try run().failures } ?? []
            report.addPlanted(
                part.name, defect.rawValue, engine.rawValue,
                found: sound.isEmpty ? settings.point : nil)
            for failure in sound { Report.print("  without it: \(failure)") }
        }
    }
}
