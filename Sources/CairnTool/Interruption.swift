import Dispatch
import Foundation
import Synchronization

/// An object that records SIGINT and SIGTERM as long as it exists, so that the work can clean up before the
/// process ends.
final class Interruption {
    private static let signals = [SIGINT, SIGTERM]

    /// A flag that the signal handlers, which run on another thread, can set.
    private final class Flag: Sendable {
        let isSet = Atomic(false)
    }

    private let flag = Flag()
    private let sources: [any DispatchSourceSignal]

    /// - Parameter action: Called on another thread when a signal arrives.
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

    /// Whether a signal has arrived, so that the work should end.
    var isRequested: Bool { flag.isSet.load(ordering: .relaxed) }
}
