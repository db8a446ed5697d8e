import Dispatch
import Foundation
import Synchronization

/// A line on standard error that shows the progress of long work. If standard error is not a terminal,
/// nothing is shown.
struct ProgressLine {
    private let isShown = isatty(STDERR_FILENO) == 1
    private let start = ContinuousClock.now
    private var shown: ContinuousClock.Instant?

    /// Shows the progress, at most ten times a second.
    mutating func show(_ done: Int, of total: Int, _ things: String) {
        let now = ContinuousClock.now
        guard isShown, now - (shown ?? start) >= .milliseconds(100) else { return }
        shown = now
        write(Self.text(done, of: total, things, after: now - start))
    }

    /// Removes the line.
    mutating func end() {
        if shown != nil { write("") }
        shown = nil
    }

    /// Returns the text of the line: the work done, the rate per second, and the remaining time at that rate.
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
        // Erase the rest of the previous line, which may have been longer (ECMA-48, EL).
        try? FileHandle.standardError.write(contentsOf: Data("\r\u{1B}[K\(text)".utf8))
    }
}

/// An object that shows the progress of work on another thread as a line in the terminal, as long as it
/// exists.
final class ProgressWatch {
    /// A progress line that the timer, which runs on another thread, can use.
    private final class Line: Sendable {
        private let line = Mutex(ProgressLine())

        func show(_ done: Int, of total: Int, _ things: String) {
            line.withLock { $0.show(done, of: total, things) }
        }

        func end() { line.withLock { $0.end() } }
    }

    private let line = Line()
    private let timer: any DispatchSourceTimer

    /// Starts showing the progress, ten times a second.
    ///
    /// - Parameter things: The name of the units that the progress counts.
    init(_ progress: Progress, _ things: String) {
        timer = DispatchSource.makeTimerSource(queue: .global())
        timer.schedule(deadline: .now() + 0.1, repeating: 0.1)
        timer.setEventHandler { [line] in
            let total = Int(progress.totalUnitCount)
            if total > 0 { line.show(Int(progress.completedUnitCount), of: total, things) }
        }
        timer.resume()
    }

    /// Stops, and removes the line.
    func end() {
        timer.cancel()
        line.end()
    }
}
