import CairnModel

/// Everyone who is told of a context's events, saves and merges: observers in the context's turn,
/// streams, and notifications.
final class ContextObservers: ContextPart {
    private struct WeakObserver {
        weak var observer: (any ContextObserver)?
    }

    private var observers: [WeakObserver] = []
    let streams = ContextStreams()

    /// Tells an observer of every event from now on, for as long as somebody holds it.
    func add(_ observer: any ContextObserver) {
        observers.removeAll { $0.observer == nil }
        observers.append(WeakObserver(observer: observer))
    }

    /// Stops telling an observer of events.
    func remove(_ observer: any ContextObserver) {
        observers.removeAll { $0.observer == nil || $0.observer === observer }
    }

    /// Tells observers, streams and notifications of an event.
    func announce(_ changes: EventChanges) {
        guard !changes.isEmpty else { return }
        for observer in observers {
            observer.observer?.context(context, didChange: changes)
        }
        if changes.hasNoObjects { return }
        streams.changes.send { ObjectIDChanges(changes) }
        ContextNotifications.postDidChange(changes, in: context)
    }

    /// Tells observers, streams and notifications of a save.
    func announce(_ changes: SavedChanges) {
        for observer in observers { observer.observer?.context(context, didSave: changes) }
        streams.saves.send { ObjectIDChanges(changes) }
        ContextNotifications.postDidSave(changes, in: context)
    }

    /// Tells streams and notifications what was merged from the saves of others.
    func announceMerge(_ changes: ObjectIDChanges) {
        streams.merges.send { changes }
        ContextNotifications.postDidMerge(changes, in: context)
    }
}
