import Dispatch
import Foundation
import Synchronization

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
