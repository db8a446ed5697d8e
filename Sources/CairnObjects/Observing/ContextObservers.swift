import CairnModel
import CairnStack

/// The receivers of a context's events, saves and merges: observers in the context's turn, streams, and
/// notifications.
package final class ContextObservers: ContextPart {
    private struct WeakObserver {
        weak var observer: (any ContextObserver)?
    }

    private var observers: [WeakObserver] = []
    let streams = ContextStreams()

    /// Adds an observer, which is called for every event from now on. The observer is held weakly.
    package func add(_ observer: any ContextObserver) {
        observers.removeAll { $0.observer == nil }
        observers.append(WeakObserver(observer: observer))
    }

    /// Removes an observer.
    package func remove(_ observer: any ContextObserver) {
        observers.removeAll { $0.observer == nil || $0.observer === observer }
    }

    /// Announces an event to observers, streams and notifications.
    func announce(_ changes: EventChanges) {
        guard !changes.isEmpty else { return }
        for observer in observers {
            observer.observer?.context(context, didChange: changes)
        }
        if changes.hasNoObjects { return }
        streams.changes.send { ObjectIDChanges(changes) }
        ContextNotifications.postDidChange(changes, in: context)
    }

    /// Announces a save to observers, streams and notifications.
    func announceSave(_ changes: EventChanges) {
        for observer in observers { observer.observer?.context(context, didSave: changes) }
        streams.saves.send { ObjectIDChanges(changes) }
        ContextNotifications.postDidSave(changes, in: context)
    }

    /// Announces a merge of changes that others saved to streams and notifications.
    func announceMerge(_ changes: ObjectIDChanges) {
        streams.merges.send { changes }
        ContextNotifications.postDidMerge(changes, in: context)
    }
}

/// An observer that receives a context's events, with the objects themselves, inside the context's turn.
///
/// For parts of the context, such as a results controller. Other code uses the context's notifications or
/// ``ContextHandle/changes``.
package protocol ContextObserver: AnyObject {
    /// Called when an event with changes, including merged ones, has ended. Changes that the observer
    /// makes here belong to the next event.
    func context(_ context: ManagedObjectContext, didChange changes: EventChanges)

    /// Called after a save succeeded. New objects already have permanent IDs.
    func context(_ context: ManagedObjectContext, didSave changes: EventChanges)
}

extension ContextObserver {
    func context(_ context: ManagedObjectContext, didSave changes: EventChanges) {}
}
