import BenchmarkKit
import Foundation
import Workloads

extension Machine {
    /// The machine on which this process runs.
    static var current: Machine {
        let cpu = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        let name = cpu.split(separator: "\n").first { $0.hasPrefix("model name") }
        return Machine(
            processor: name?.split(separator: ":").last.map {
                $0.trimmingCharacters(in: .whitespaces)
            } ?? "unknown",
            cores: ProcessInfo.processInfo.activeProcessorCount,
            system: ProcessInfo.processInfo.operatingSystemVersionString,
            libraries: LibraryVersions.all)
    }
}
