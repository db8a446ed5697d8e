import Cairn
import Foundation
import StoreFileSupport

/// Reads damaged stores and performs extreme queries, with limits on memory and processor time.
struct MemoryPart: Part {
    let name = "memory"

    let planted: [(defect: PlantedDefect, engine: StoreType)] = [(.neverEnds, .sqlite)]

    private static let filesPerTrial = 10

    func trialCount(_ settings: Settings) -> Int? { nil }

    /// A planted endless loop need not run for long.
    private func bounds(_ settings: Settings) -> Bounds {
        settings.planted == nil ? Bounds() : Bounds(processorSeconds: 3)
    }

    private func fileCount(_ settings: Settings) -> Int { settings.isLong ? 10_000 : 30 }

    func trials(_ engine: StoreType, _ settings: Settings, _ lane: Lane) throws -> [Trial] {
        let samples = try lane.newFolder("samples")
        let lines = try lane.runSound(.makeSamples(folder: samples))
        if let line = lines.first { throw HarnessFailure("samples: \(line)") }
        let damaged = DamageSubject.real.filter { $0.engine.type == engine }.flatMap { subject in
            (0..<fileCount(settings) / Self.filesPerTrial).map { part in
                reading(subject, part * Self.filesPerTrial, settings, samples)
            }
        }
        // Reading files reveals the defects sooner than the queries.
        if settings.planted != nil { return damaged }
        return ExtremeQuery.Shape.allCases.map { query($0, engine, settings) } + damaged
    }

    private func query(
        _ shape: ExtremeQuery.Shape, _ engine: StoreType, _ settings: Settings
    ) -> Trial {
        Trial(name: shape.rawValue) { lane in
            let folder = try lane.newFolder()
            defer { lane.remove(folder) }
            let lines = try lane.runSound(
                .query(
                    ExtremeQuery(
                        shape: shape, engine: engine.rawValue, folder: folder,
                        bounds: bounds(settings), planted: settings.planted)))
            let problems = lines.filter { !$0.hasPrefix("end ") }
            return Verdict(problems: problems)
        }
    }

    private func reading(
        _ subject: DamageSubject, _ first: Int, _ settings: Settings, _ samples: String
    ) -> Trial {
        Trial(name: "\(subject.rawValue), files \(first) to \(first + Self.filesPerTrial - 1)") {
            lane in
            var verdict = Verdict(count: Self.filesPerTrial)
            var next = first
            while next < first + Self.filesPerTrial {
                let folder = try lane.newFolder()
                defer { lane.remove(folder) }
                let lines = try lane.runSound(
                    .readDamaged(
                        DamagedReading(
                            subject: subject.rawValue, samples: samples, seed: settings.seed,
                            first: next, count: first + Self.filesPerTrial - next, folder: folder,
                            bounds: bounds(settings), planted: settings.planted)))
                let ended = lines.count { $0.hasPrefix("end ") }
                next += ended + 1
                if let problem = Self.problem(subject, lines) {
                    verdict.problems.append(problem)
                }
            }
            return verdict
        }
    }

    /// Returns the last output of a process that ended unexpectedly, or `nil` if there is no problem.
    private static func problem(_ subject: DamageSubject, _ lines: [String]) -> String? {
        guard let last = lines.last, last.hasPrefix("problem ") || last.hasPrefix("threw ") else {
            return nil
        }
        let file = lines.last { $0.hasPrefix("begin ") } ?? "before the first file"
        // LMDB maps its file, so damaged pages may end the process (docs/formats/lmdb.md).
        let isKnown =
            subject == .lmdb
            && [SIGBUS, SIGSEGV, SIGABRT].contains { last.hasSuffix("signal \($0)") }
        return isKnown ? nil : "\(file): \(last)"
    }
}
