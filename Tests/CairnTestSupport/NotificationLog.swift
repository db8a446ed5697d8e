import Foundation

/// The notifications that an object posts, in order.
package final class NotificationLog: @unchecked Sendable {
    // Unchecked because notifications are posted on the test's thread.
    package private(set) var notifications: [Notification] = []
    private var tokens: [any NSObjectProtocol] = []

    package init(_ names: [Notification.Name], from sender: AnyObject?) {
        for name in names {
            tokens.append(
                NotificationCenter.default.addObserver(forName: name, object: sender, queue: nil) {
                    [weak self] in self?.notifications.append($0)
                })
        }
    }

    deinit {
        for token in tokens { NotificationCenter.default.removeObserver(token) }
    }

    package var names: [Notification.Name] { notifications.map(\.name) }
}
