import Foundation

/// Bounds on the memory and the processor time of this process, which the system ends beyond them.
///
/// A reader that believes a number in a damaged file asks for memory without end, or reads on
/// without end. Neither must be found by waiting, nor by a machine that has no memory left.
enum ProcessBounds {
    /// Many times what reading a sample takes, the 1 GiB that LMDB maps included.
    static let memoryByteCount: rlim_t = 4 << 30
    /// Processor time, which does not grow when others use the machine.
    static let secondsPerFile: rlim_t = 30

    /// Bounds the address space, from now to the end of the process.
    static func limitMemory() {
        var limit = rlimit(rlim_cur: memoryByteCount, rlim_max: memoryByteCount)
        guard setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0 else { exit(4) }
    }

    /// Gives the process that many seconds of processor time more than it has had.
    static func limitTime(_ seconds: rlim_t = secondsPerFile) {
        var used = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used)
        var limit = rlimit(
            rlim_cur: rlim_t(used.tv_sec) + seconds + 1, rlim_max: .max)
        guard setrlimit(__rlimit_resource_t(RLIMIT_CPU.rawValue), &limit) == 0 else { exit(4) }
    }

    // MARK: Planted defects

    /// Asks for more memory until there is none.
    static func takeMemory() {
        limitMemory()
        var taken: [[UInt8]] = []
        // 64 GiB, and the bound is far below.
        for _ in 0..<1024 { taken.append([UInt8](repeating: 1, count: 64 << 20)) }
        withExtendedLifetime(taken) {}
    }

    /// Works until the time is over.
    static func takeTime() {
        limitTime(0)
        var sum: UInt64 = 1
        while sum != 0 { sum = sum &* 3 | 1 }
    }
}
