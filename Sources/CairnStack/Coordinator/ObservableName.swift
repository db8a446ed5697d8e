import Foundation
import Synchronization

/// The name of a notification that is not posted until some code has requested the name.
///
/// A notification centre does not tell whether a notification has observers, and a set of 100,000 changed
/// objects should not be created for nothing. An observer of one name has requested that name. An
/// observer of all names must request the names that it wants.
package struct ObservableName: ~Copyable, Sendable {
    private let name: Notification.Name
    private let wasAskedFor = Atomic<Bool>(false)

    package init(_ text: String) {
        name = Notification.Name(text)
    }

    /// The name, for observers. Reading it enables posting.
    package var observed: Notification.Name {
        wasAskedFor.store(true, ordering: .relaxed)
        return name
    }

    /// Posts the notification to the default notification centre if the name was ever requested.
    package func post(from sender: AnyObject, _ userInfo: () -> [AnyHashable: Any]) {
        guard wasAskedFor.load(ordering: .relaxed) else { return }
        NotificationCenter.default.post(name: name, object: sender, userInfo: userInfo())
    }
}
