import Cairn
import Foundation
import Synchronization

/// Records the remote changes that a coordinator reports, in order.
final class RemoteChangeInbox: Sendable {
    /// The content of a notification.
    struct Report: Sendable {
        let identifier: String?
        let url: URL?
        let token: PersistentHistoryToken?

        init(_ info: [AnyHashable: Any]) {
            typealias Key = PersistentStoreCoordinator.NotificationKey
            identifier = info[Key.storeUUID.rawValue] as? String
            url = info[Key.storeURL.rawValue] as? URL
            token = info[Key.historyToken.rawValue] as? PersistentHistoryToken
        }
    }

    private struct State: Sendable {
        var reports: [Report] = []
        var taken = 0
    }

    private let state = Mutex(State())
    private let arrivals = DispatchSemaphore(value: 0)
    // Unsafe because only the initializer sets it, and only the deinitializer uses it.
    nonisolated(unsafe) private let observer: any NSObjectProtocol

    /// Creates an inbox.
    ///
    /// - Parameter handling: Called with each report before the inbox records it.
    init(
        _ coordinator: PersistentStoreCoordinator,
        handling handle: @escaping @Sendable (Report) -> Void = { _ in }
    ) {
        let box = WeakInbox()
        observer = NotificationCenter.default.addObserver(
            forName: PersistentStoreCoordinator.remoteChangeNotification, object: coordinator,
            queue: nil
        ) { notification in
            let report = Report(notification.userInfo ?? [:])
            handle(report)
            box.inbox?.add(report)
        }
        box.inbox = self
    }

    deinit { NotificationCenter.default.removeObserver(observer) }

    private final class WeakInbox: @unchecked Sendable {
        // Unchecked because it is set before the first report, and only read afterwards.
        weak var inbox: RemoteChangeInbox?
    }

    private func add(_ report: Report) {
        state.withLock { $0.reports.append(report) }
        arrivals.signal()
    }

    /// All reports received so far.
    var reports: [Report] { state.withLock { $0.reports } }

    /// Waits for the next report. Returns `nil` if none arrives within a minute.
    func next() -> Report? {
        guard arrivals.wait(timeout: .now() + 60) == .success else { return nil }
        return state.withLock { state in
            defer { state.taken += 1 }
            return state.reports[state.taken]
        }
    }

    /// Waits for a report whose token is newer than the given token.
    func next(after token: PersistentHistoryToken?) -> Report? {
        while let report = next() {
            guard let token else { return report }
            if report.token?.isNewer(than: token) ?? false { return report }
        }
        return nil
    }
}
