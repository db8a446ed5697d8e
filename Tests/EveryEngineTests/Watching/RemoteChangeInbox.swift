import Cairn
import Foundation
import Synchronization

/// Keeps the remote changes that a coordinator reports, in order.
final class RemoteChangeInbox: Sendable {
    /// What a notification has.
    struct Report: Sendable {
        let identifier: String?
        let url: URL?
        let token: PersistentHistoryToken?

        init(_ info: [AnyHashable: Any]) {
            identifier = info[StoreUUIDKey] as? String
            url = info[PersistentStoreURLKey] as? URL
            token = info[PersistentHistoryTokenKey] as? PersistentHistoryToken
        }
    }

    private struct State: Sendable {
        var reports: [Report] = []
        var taken = 0
    }

    private let state = Mutex(State())
    private let arrivals = DispatchSemaphore(value: 0)
    // Unsafe: set by the initializer, and used again by the deinitializer alone.
    nonisolated(unsafe) private let observer: any NSObjectProtocol

    /// - Parameter handling: called with each report before the inbox has it.
    init(
        _ coordinator: PersistentStoreCoordinator,
        handling handle: @escaping @Sendable (Report) -> Void = { _ in }
    ) {
        let box = WeakInbox()
        observer = NotificationCenter.default.addObserver(
            forName: .PersistentStoreRemoteChange, object: coordinator, queue: nil
        ) { notification in
            let report = Report(notification.userInfo ?? [:])
            handle(report)
            box.inbox?.add(report)
        }
        box.inbox = self
    }

    deinit { NotificationCenter.default.removeObserver(observer) }

    private final class WeakInbox: @unchecked Sendable {
        // Unchecked: set before the first report, and only read from then on.
        weak var inbox: RemoteChangeInbox?
    }

    private func add(_ report: Report) {
        state.withLock { $0.reports.append(report) }
        arrivals.signal()
    }

    /// All reports that have come.
    var reports: [Report] { state.withLock { $0.reports } }

    /// Waits for the next report. Returns `nil` if none comes in a minute.
    func next() -> Report? {
        guard arrivals.wait(timeout: .now() + 60) == .success else { return nil }
        return state.withLock { state in
            defer { state.taken += 1 }
            return state.reports[state.taken]
        }
    }

    /// Waits until there is a report with a token that is newer than the given one.
    func next(after token: PersistentHistoryToken?) -> Report? {
        while let report = next() {
            guard let token else { return report }
            if report.token?.isNewer(than: token) ?? false { return report }
        }
        return nil
    }
}
