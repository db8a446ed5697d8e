import Foundation

/// Measures how far the memory of the process has risen since this value was created.
struct PeakMemory {
    private let start: Int

    /// Resets the system's record of the peak, if the system allows it (`proc_pid_clear_refs(5)`, value 5).
    init() {
        if let file = fopen("/proc/self/clear_refs", "w") {
            fputs("5", file)
            fclose(file)
        }
        start = Self.kilobytes("VmRSS:")
    }

    /// The peak above the start, or 0 if the system does not report it.
    var byteCount: Int { max(0, Self.kilobytes("VmHWM:") - start) * 1024 }

    private static func kilobytes(_ key: String) -> Int {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix(key) })
        else { return 0 }
        return line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0
    }
}
