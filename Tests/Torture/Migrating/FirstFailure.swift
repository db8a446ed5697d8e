import Cairn
import Synchronization

/// The first error of several stores that are opened together.
final class FirstFailure: Sendable {
    private let failure = Mutex<GraphError?>(nil)

    var found: GraphError? { failure.withLock { $0 } }

    func note(_ error: GraphError?) { failure.withLock { $0 = $0 ?? error } }
}
