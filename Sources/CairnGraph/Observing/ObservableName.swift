import Foundation
import Synchronization

/// The name of a notification that is not posted before somebody has asked for it.
///
/// A notification centre does not tell whether anybody observes, and a set of 100,000 changed
/// objects is not made for nobody. An observer has asked for the name; an observer of all names has to
/// ask for those that it wants.
struct ObservableName: ~Copyable, Sendable {
    private let name: Notification.Name
    private let wasAskedFor = Atomic<Bool>(false)

    init(_ text: String) {
        name = Notification.Name(text)
    }

    /// The name, for observers. From now on it is posted.
    var observed: Notification.Name {
        wasAskedFor.store(true, ordering: .relaxed)
        return name
    }

    /// Posts to the default notification centre, if the name was ever read.
    func post(from sender: AnyObject, _ userInfo: () -> [AnyHashable: Any]) {
        guard wasAskedFor.load(ordering: .relaxed) else { return }
        NotificationCenter.default.post(name: name, object: sender, userInfo: userInfo())
    }
}
