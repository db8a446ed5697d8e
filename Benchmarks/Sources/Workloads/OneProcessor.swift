import Baselines

/// Runs code with every thread of the process on one processor.
///
/// A hop between threads takes 5 µs if the system wakes the second thread on the processor of the first
/// one, and 20 µs if it wakes it on another one that sleeps. Which of the two it does is a matter of
/// chance, and stays so for a whole run: it must not decide a comparison.
enum OneProcessor {
    /// Runs the body; afterwards every thread may run where it might before. Where the system cannot
    /// choose processors, this only runs the body.
    ///
    /// - Throws: what the body throws.
    static func run<Value>(_ body: () throws -> Value) rethrows -> Value {
        guard processors_use_one() == 1 else { return try body() }
        defer { processors_use_all() }
        return try body()
    }
}
