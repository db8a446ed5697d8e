import Foundation

/// What some work took.
public struct Cost: Sendable, Hashable {
    /// Processor time of the whole process, all threads together.
    public var cpuNanoseconds: Double
    /// Time on the wall.
    public var wallNanoseconds: Double

    /// - Parameters:
    ///   - cpuNanoseconds: processor time of the whole process.
    ///   - wallNanoseconds: time on the wall.
    public init(cpuNanoseconds: Double = 0, wallNanoseconds: Double = 0) {
        self.cpuNanoseconds = cpuNanoseconds
        self.wallNanoseconds = wallNanoseconds
    }
}

/// Adds up what the timed parts of a run take; what is between them is not counted.
public struct Stopwatch: Sendable {
    /// What was timed so far.
    public private(set) var cost = Cost()

    /// Nothing timed yet.
    public init() {}

    /// Runs the body and counts it.
    ///
    /// - Throws: what the body throws.
    public mutating func time<Result>(_ body: () throws -> Result) rethrows -> Result {
        let cpu = Self.nanoseconds(CLOCK_PROCESS_CPUTIME_ID)
        let wall = Self.nanoseconds(CLOCK_MONOTONIC)
        let result = try body()
        cost.wallNanoseconds += Self.nanoseconds(CLOCK_MONOTONIC) - wall
        cost.cpuNanoseconds += Self.nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - cpu
        return result
    }

    /// The same around a body that suspends.
    ///
    /// - Throws: what the body throws.
    public mutating func time<Result: Sendable>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async rethrows -> Result {
        let cpu = Self.nanoseconds(CLOCK_PROCESS_CPUTIME_ID)
        let wall = Self.nanoseconds(CLOCK_MONOTONIC)
        let result = try await body()
        cost.wallNanoseconds += Self.nanoseconds(CLOCK_MONOTONIC) - wall
        cost.cpuNanoseconds += Self.nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - cpu
        return result
    }

    private static func nanoseconds(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
}
