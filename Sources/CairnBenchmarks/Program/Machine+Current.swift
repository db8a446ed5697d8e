import Foundation

extension Machine {
    /// The machine on which this process runs.
    ///
    /// - Parameter libraries: The versions of the measured libraries, by name.
    static func current(libraries: [String: String]) -> Machine {
        let cpu = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        let name = cpu.split(separator: "\n").first { $0.hasPrefix("model name") }
        return Machine(
            processor: name?.split(separator: ":").last.map {
                $0.trimmingCharacters(in: .whitespaces)
            } ?? "unknown",
            cores: ProcessInfo.processInfo.activeProcessorCount,
            system: ProcessInfo.processInfo.operatingSystemVersionString,
            libraries: libraries)
    }
}
