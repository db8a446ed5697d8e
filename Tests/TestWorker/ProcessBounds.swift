import Foundation

/// Bounds on the memory and the processor time of this process, which the system ends beyond them.
///
/// A reader that believes a number in a damaged file asks for memory without end, or reads on
/// without end. Neither must be found by waiting, nor by a machine that has no memory left.
///
///     take memory|time    goes on until a bound ends it
enum ProcessBounds {
    /// Many times what reading a sample takes, the 1 GiB that LMDB maps included.
    static let memoryByteCount: rlim_t = 4 << 30
    /// Processor time, which does not grow when others use the machine.
    static let secondsPerFile: rlim_t = 30

    static func run(_ arguments: [String]) throws {
        switch arguments {
        case ["memory"]: try takeMemory()
        case ["time"]: try takeTime()
        default: throw WrongArguments(arguments)
        }
    }

    /// Bounds the address space, from now to the end of the process.
    static func limitMemory(toBytes byteCount: rlim_t = memoryByteCount) throws {
        try limit(RLIMIT_AS, to: byteCount)
    }

    /// Bounds the size of the files that the process writes.
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

    /// Gives the process that many seconds of processor time more than it has had.
    static func limitTime(_ seconds: rlim_t = secondsPerFile) throws {
        var used = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used)
        try limit(RLIMIT_CPU, to: rlim_t(used.tv_sec) + seconds + 1, most: .max)
    }

    // MARK: Planted defects

    /// Asks for more memory until there is none.
    private static func takeMemory() throws {
        try limitMemory()
        var taken: [[UInt8]] = []
        // 64 GiB, and the bound is far below.
        for _ in 0..<1024 { taken.append([UInt8](repeating: 1, count: 64 << 20)) }
        withExtendedLifetime(taken) {}
    }

    /// Works until the time is over.
    private static func takeTime() throws {
        try limitTime(0)
        var sum: UInt64 = 1
        while sum != 0 { sum = sum &* 3 | 1 }
    }
}
