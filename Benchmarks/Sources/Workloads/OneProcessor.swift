import Baselines

/// Runs code with all threads of the process on one processor.
///
/// A hop between threads takes 5 µs if the system wakes the second thread on the processor of the first, and
/// 20 µs if it wakes the thread on a sleeping processor. Which of the two happens is a matter of chance but
/// persists for a whole run, so it must not decide a comparison.
enum OneProcessor {
    /// Runs the body. Afterwards, each thread may use the same processors as before. If the system does not
    /// support a choice of processors, this only runs the body.
    ///
    /// - Throws: The error that the body throws.
    static func run<Value>(_ body: () throws -> Value) rethrows -> Value {
        guard processors_use_one() == 1 else { return try body() }
        defer { processors_use_all() }
        return try body()
    }
}
