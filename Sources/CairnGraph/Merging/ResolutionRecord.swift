/// What resolving conflicts has changed beside the current event: objects that were changed as a whole,
/// and new objects that gave way to others.
final class ResolutionRecord {
    /// What objects were before they were changed as a whole.
    private(set) var mementos: [ObjectMemento] = []
    /// How conflicts of unique values were resolved.
    private(set) var upserts: [Upsert] = []

    func add(_ memento: ObjectMemento) { mementos.append(memento) }

    func add(_ upsert: Upsert) { upserts.append(upsert) }

    /// Puts the objects back that were changed as a whole.
    func restoreObjects() {
        for memento in mementos.reversed() { memento.restore() }
    }
}
