import Foundation

/// A line on the terminal that shows what is being run, and the estimated remaining time.
///
/// It is written to standard error, and only if that is a terminal.
final class Progress {
    private let isShown = isatty(STDERR_FILENO) != 0
    private let start = ContinuousClock.now
    private var weights: [Double] = []
    private var finished = 0

    /// Announces further work.
    ///
    /// - Parameter weights: The relative durations of the next steps, in order, in any unit.
    func expect(_ weights: [Double]) {
        self.weights += weights
    }

    func didFinishOne() {
        finished += 1
    }

    /// Shows what is being done.
    func show(_ text: String) {
        guard isShown else { return }
        write("\r\u{1b}[K\(text)\(timeLeft.map { " · about \($0) left" } ?? "")")
    }

    /// Erases the line, so that something else can be printed.
    func clear() {
        if isShown { write("\r\u{1b}[K") }
    }

    func end() { clear() }

    private var timeLeft: String? {
        let done = weights.prefix(finished).reduce(0, +)
        let rest = weights.dropFirst(finished).reduce(0, +)
        // The first few steps do not allow an estimate.
        guard finished >= 3, done > 0 else { return nil }
        let elapsed = (ContinuousClock.now - start) / .seconds(1)
        let seconds = Int(elapsed / done * rest)
        return seconds < 90 ? "\(seconds) s" : "\((seconds + 30) / 60) min"
    }

    private func write(_ text: String) {
        FileHandle.standardError.write(Data(text.utf8))
    }
}
