import Foundation

/// A line on standard error that shows the progress of long work. Shows nothing if standard error is
/// not a terminal.
struct ProgressLine {
    private let isShown = isatty(STDERR_FILENO) == 1
    private let start = ContinuousClock.now
    private var shown: ContinuousClock.Instant?

    /// Shows how much of the total is done. Updates the line at most ten times a second.
    mutating func show(_ done: Int, of total: Int, _ things: String) {
        let now = ContinuousClock.now
        guard isShown, now - (shown ?? start) >= .milliseconds(100) else { return }
        shown = now
        write(Self.text(done, of: total, things, after: now - start))
    }

    /// Erases the line.
    mutating func end() {
        if shown != nil { write("") }
        shown = nil
    }

    /// Returns the text of the line: how much is done, the rate per second, and the time that the rest will
    /// take at that rate.
    static func text(
        _ done: Int, of total: Int, _ things: String, after elapsed: Duration
    ) -> String {
        let seconds = elapsed / .seconds(1)
        let counts = "\(done) of \(total) \(things)"
        guard done > 0, seconds > 0 else { return counts }
        let rate = Double(done) / seconds
        let rest = Double(max(0, total - done)) / rate
        return counts + String(format: ", %.0f/s, %.0f s left", rate, rest.rounded(.up))
    }

    private func write(_ text: String) {
        // Erase the previous text, which may have been longer (ECMA-48, EL).
        try? FileHandle.standardError.write(contentsOf: Data("\r\u{1B}[K\(text)".utf8))
    }
}
