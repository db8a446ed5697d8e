import Cairn
import Synchronization

/// The first error that occurs while several stores are opened together.
final class FirstFailure: Sendable {
    private let failure = Mutex<GraphError?>(nil)

    var found: GraphError? { failure.withLock { $0 } }

    func note(_ error: GraphError?) { failure.withLock { $0 = $0 ?? error } }
}
