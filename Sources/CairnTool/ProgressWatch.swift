import Dispatch
import Foundation
import Synchronization

/// Shows the progress of work on another thread on a line of the terminal, as long as the object exists.
final class ProgressWatch {
    /// Shared with the timer, which runs on another thread.
    private final class Line: Sendable {
        private let line = Mutex(ProgressLine())

        func show(_ done: Int, of total: Int, _ things: String) {
            line.withLock { $0.show(done, of: total, things) }
        }

        func end() { line.withLock { $0.end() } }
    }

    private let line = Line()
    private let timer: any DispatchSourceTimer

    /// Begins to show the progress. Updates the line ten times a second.
    ///
    /// - Parameter things: the noun for the units of the progress, such as `objects`.
    init(_ progress: Progress, _ things: String) {
        timer = DispatchSource.makeTimerSource(queue: .global())
        timer.schedule(deadline: .now() + 0.1, repeating: 0.1)
        timer.setEventHandler { [line] in
            let total = Int(progress.totalUnitCount)
            if total > 0 { line.show(Int(progress.completedUnitCount), of: total, things) }
        }
        timer.resume()
    }

    /// Erases the line.
    func end() {
        timer.cancel()
        line.end()
    }
}
