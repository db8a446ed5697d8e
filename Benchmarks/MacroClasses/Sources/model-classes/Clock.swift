import Foundation

/// Measures the processor time of this thread and the threads that it waits for.
struct Clock {
    private let start = Clock.now

    var seconds: Double { Clock.now - start }

    private static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// The bytes of the program that are in memory.
    static var residentByteCount: Int {
        let pages = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
            .split(separator: " ").dropFirst().first.flatMap { Int($0) }
        return (pages ?? 0) * 4096
    }
}
