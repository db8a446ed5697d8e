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
}
