import Cairn
import Foundation

/// Keeps the notifications of one name that a context posts, as long as the inbox is held.
final class NotificationInbox {
    typealias Key = ManagedObjectContext.NotificationKey

    private final class Content: @unchecked Sendable {
        // Unchecked: the context posts in its own turns, and tests read there.
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

    /// How many notifications came.
    var count: Int { content.infos.count }

    /// Returns the objects of a key, of all notifications together.
    func objects(_ key: Key) -> Set<ManagedObject> { objects(key.rawValue) }

    /// Returns the objects of a key by its text, of all notifications together.
    func objects(_ key: String) -> Set<ManagedObject> {
        content.infos.reduce(into: []) { found, info in
            found.formUnion(info[key] as? Set<ManagedObject> ?? [])
        }
    }

    /// Returns the IDs of a key, of all notifications together.
    func ids(_ key: Key) -> Set<ObjectID> {
        content.infos.reduce(into: []) { found, info in
            found.formUnion(info[key.rawValue] as? Set<ObjectID> ?? [])
        }
    }

    /// Whether some notification has a value for the key.
    func has(_ key: Key) -> Bool { content.infos.contains { $0[key.rawValue] != nil } }
}
