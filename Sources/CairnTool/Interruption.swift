import Dispatch
import Foundation
import Synchronization

/// Records SIGINT and SIGTERM as long as the object exists. The process then does not end on these signals,
/// so that it can clean up.
final class Interruption {
    private static let signals = [SIGINT, SIGTERM]

    /// Shared with the signal handlers, which run on another thread.
    private final class Flag: Sendable {
        let isSet = Atomic(false)
    }

    private let flag = Flag()
    private let sources: [any DispatchSourceSignal]

    /// - Parameter action: called for each signal, on another thread.
    init(_ action: @escaping @Sendable () -> Void = {}) {
        sources = Self.signals.map { [flag] number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                flag.isSet.store(true, ordering: .relaxed)
                action()
            }
            source.resume()
            return source
        }
    }

    deinit {
        for source in sources { source.cancel() }
        for number in Self.signals { signal(number, SIG_DFL) }
    }

    /// Whether the user wants the work to end.
    var isRequested: Bool { flag.isSet.load(ordering: .relaxed) }
}
