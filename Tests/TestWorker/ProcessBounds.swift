import Foundation

/// Limits on the memory and the processor time of this process. The system ends the process if it exceeds
/// them.
///
/// A reader that trusts a number in a damaged file may request endless memory or read endlessly. The limits
/// detect both without long waits, and without using up the machine's memory.
///
///     take memory|time    continues until a limit ends the process
enum ProcessBounds {
    /// Many times the memory that reading a sample needs, including the 1 GiB that LMDB maps.
    static let memoryByteCount: rlim_t = 4 << 30
    /// A limit on processor time, which does not depend on the load of the machine.
    static let secondsPerFile: rlim_t = 30

    static func run(_ arguments: [String]) throws {
        switch arguments {
        case ["memory"]: try takeMemory()
        case ["time"]: try takeTime()
        default: throw WrongArguments(arguments)
        }
    }

    /// Limits the address space for the rest of the process's life.
    static func limitMemory(toBytes byteCount: rlim_t = memoryByteCount) throws {
        try limit(RLIMIT_AS, to: byteCount)
    }

    /// Limits the size of the files that the process writes.
    static func limitFiles(toBytes byteCount: rlim_t) throws {
        try limit(RLIMIT_FSIZE, to: byteCount)
    }

    private static func limit(
        _ resource: __rlimit_resource, to bound: rlim_t, most: rlim_t? = nil
    ) throws {
        var limit = rlimit(rlim_cur: bound, rlim_max: most ?? bound)
        guard setrlimit(__rlimit_resource_t(resource.rawValue), &limit) == 0 else {
            throw Missing(what: "a bound")
        }
    }

    /// Grants the process the given number of seconds of processor time beyond what it has used.
    static func limitTime(_ seconds: rlim_t = secondsPerFile) throws {
        var used = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used)
        try limit(RLIMIT_CPU, to: rlim_t(used.tv_sec) + seconds + 1, most: .max)
    }

    // MARK: Planted defects

    /// Allocates memory until the limit is reached.
    private static func takeMemory() throws {
        try limitMemory()
        var taken: [[UInt8]] = []
        // 64 GiB, which is far above the limit.
        for _ in 0..<1024 { taken.append([UInt8](repeating: 1, count: 64 << 20)) }
        withExtendedLifetime(taken) {}
    }

    /// Works until the time limit is reached.
    private static func takeTime() throws {
        try limitTime(0)
        var sum: UInt64 = 1
        while sum != 0 { sum = sum &* 3 | 1 }
    }
}
