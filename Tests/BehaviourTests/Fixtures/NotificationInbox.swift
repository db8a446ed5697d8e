import Cairn
import Foundation

/// Records the notifications of one name that a context posts, for as long as the inbox exists.
final class NotificationInbox {
    typealias Key = ManagedObjectContext.NotificationKey

    private final class Content: @unchecked Sendable {
        // Unchecked because the context posts in its own turns, and tests read it there.
        var infos: [[AnyHashable: Any]] = []
    }

    private let content = Content()
    private let observer: any NSObjectProtocol

    init(_ name: Notification.Name, of context: ManagedObjectContext) {
        observer = NotificationCenter.default.addObserver(
            forName: name, object: context, queue: nil
        ) { [content] in content.infos.append($0.userInfo ?? [:]) }
    }

    deinit { NotificationCenter.default.removeObserver(observer) }

    /// The number of notifications received.
    var count: Int { content.infos.count }

    /// Returns the objects under a key, from all notifications.
    func objects(_ key: Key) -> Set<ManagedObject> { objects(key.rawValue) }

    /// Returns the objects under a key given as a string, from all notifications.
    func objects(_ key: String) -> Set<ManagedObject> {
        content.infos.reduce(into: []) { found, info in
            found.formUnion(info[key] as? Set<ManagedObject> ?? [])
        }
    }

    /// Returns the IDs under a key, from all notifications.
    func ids(_ key: Key) -> Set<ObjectID> {
        content.infos.reduce(into: []) { found, info in
            found.formUnion(info[key.rawValue] as? Set<ObjectID> ?? [])
        }
    }

    /// Returns whether at least one notification has a value for the key.
    func has(_ key: Key) -> Bool { content.infos.contains { $0[key.rawValue] != nil } }
}
