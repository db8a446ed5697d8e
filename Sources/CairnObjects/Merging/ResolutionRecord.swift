/// The changes that resolving conflicts made in addition to the current event: objects that were changed
/// as a whole, and new objects that were replaced by others.
final class ResolutionRecord {
    /// The states of objects before they were changed as a whole.
    private(set) var mementos: [ObjectMemento] = []
    /// The resolutions of conflicts of unique values.
    private(set) var upserts: [Upsert] = []

    func add(_ memento: ObjectMemento) { mementos.append(memento) }

    func add(_ upsert: Upsert) { upserts.append(upsert) }

    /// Restores the objects that were changed as a whole.
    func restoreObjects() {
        for memento in mementos.reversed() { memento.restore() }
    }
}
