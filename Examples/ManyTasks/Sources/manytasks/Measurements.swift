import Cairn
import Histogram
import ManyTasksServer
import Synchronization

/// The latencies and failures of a run's requests.
final class Measurements: RunObserver {
    /// The requests of one kind. Latencies do not include failed requests.
    struct Requests: Sendable {
        /// The latencies in microseconds.
        var latencies = Histogram<UInt64>(numberOfSignificantValueDigits: .three)
        var failures: [FailureKind: Int] = [:]
        /// The description of one failure of kind `other`, to be investigated.
        var otherFailure: String?
    }

    private let requests = Mutex((reads: Requests(), writes: Requests()))
    private let watch = Mutex<ThreadWatch?>(nil)
    private let begin = Mutex(ContinuousClock.now)
    private let time = Mutex<Duration>(.zero)

    var reads: Requests { requests.withLock { $0.reads } }
    var writes: Requests { requests.withLock { $0.writes } }
    /// The time for which the server answered requests.
    var duration: Duration { time.withLock { $0 } }
    var most: ThreadWatch.Most { watch.withLock { $0?.most } ?? ThreadWatch.Most() }

    func didBegin(_ container: PersistentContainer) {
        watch.withLock { $0 = ThreadWatch(of: container) }
        begin.withLock { $0 = .now }
    }

    func didAnswer(_ request: Request, after time: Duration, failure: (any Error)?) {
        requests.withLock {
            if request.isWrite {
                $0.writes.note(time, failure)
            } else {
                $0.reads.note(time, failure)
            }
        }
    }

    func didEnd() {
        let begin = begin.withLock { $0 }
        time.withLock { $0 = begin.duration(to: .now) }
        watch.withLock { $0?.end() }
    }
}

extension Measurements.Requests {
    fileprivate mutating func note(_ time: Duration, _ failure: (any Error)?) {
        guard let failure else {
            latencies.record(UInt64(max(0, time / .microseconds(1))))
            return
        }
        let kind = FailureKind(failure)
        failures[kind, default: 0] += 1
        if kind == .other { otherFailure = "\(failure)" }
    }
}
