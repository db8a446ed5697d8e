import Foundation

/// Adds up the costs of the timed parts of a run, without the time between them.
public struct Stopwatch: Sendable {
    /// The cost so far.
    package private(set) var cost = Cost()

    /// Creates a stopwatch with no cost.
    public init() {}

    /// Runs the body and adds its cost.
    ///
    /// - Throws: The error that the body throws.
    public mutating func time<Result>(_ body: () throws -> Result) rethrows -> Result {
        let cpu = Self.nanoseconds(CLOCK_PROCESS_CPUTIME_ID)
        let wall = Self.nanoseconds(CLOCK_MONOTONIC)
        let result = try body()
        cost.wallNanoseconds += Self.nanoseconds(CLOCK_MONOTONIC) - wall
        cost.cpuNanoseconds += Self.nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - cpu
        return result
    }

    /// Runs an asynchronous body and adds its cost.
    ///
    /// - Throws: The error that the body throws.
    package mutating func time<Result: Sendable>(
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

/// The cost of some work.
package struct Cost: Sendable, Hashable {
    /// The processor time of all threads of the process.
    package var cpuNanoseconds: Double
    /// The wall-clock time.
    package var wallNanoseconds: Double

    /// Creates a cost.
    ///
    /// - Parameters:
    ///   - cpuNanoseconds: The processor time of the process.
    ///   - wallNanoseconds: The wall-clock time.
    package init(cpuNanoseconds: Double = 0, wallNanoseconds: Double = 0) {
        self.cpuNanoseconds = cpuNanoseconds
        self.wallNanoseconds = wallNanoseconds
    }
}
