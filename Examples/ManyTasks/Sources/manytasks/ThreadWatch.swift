import Cairn
import Foundation
import Synchronization

/// Counts the threads of a container's executor and of the process every 5 ms.
final class ThreadWatch: Sendable {
    struct Most: Sendable {
        var ofExecutor = 0
        var ofProcess = 0
    }

    private let counts = Mutex(Most())
    private let hasEnded = Atomic(false)

    init(of container: PersistentContainer) {
        Thread.detachNewThread { [self, weak container] in
            while !hasEnded.load(ordering: .relaxed) {
                note(container)
                usleep(5_000)
            }
        }
    }

    var most: Most { counts.withLock { $0 } }

    /// Ends the watch.
    func end() { hasEnded.store(true, ordering: .relaxed) }

    private func note(_ container: PersistentContainer?) {
        let ofExecutor = container?.executor.load.threads ?? 0
        let ofProcess = ProcessStatus.number("Threads:") ?? 0
        counts.withLock {
            $0.ofExecutor = max($0.ofExecutor, ofExecutor)
            $0.ofProcess = max($0.ofProcess, ofProcess)
        }
    }
}

/// Information that Linux provides about this process.
enum ProcessStatus {
    /// Returns the number in a line of `/proc/self/status`, or `nil` if there is no such line.
    static func number(_ label: String) -> Int? {
        guard let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else {
            return nil
        }
        let line = text.split(separator: "\n").first { $0.hasPrefix(label) }
        return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }
    }
}
