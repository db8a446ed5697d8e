/// An object that is told of a context's events with the objects themselves, inside of its turn.
///
/// For what belongs to the context, such as a results controller; others use its notifications or
/// ``ContextHandle/changes``.
protocol ContextObserver: AnyObject {
    /// Called when an event with changes, merged ones included, has ended. Changes made here are the
    /// next event.
    func context(_ context: ManagedObjectContext, didChange changes: EventChanges)

    /// Called when a save has succeeded; new objects have permanent IDs.
    func context(_ context: ManagedObjectContext, didSave changes: SavedChanges)
}

extension ContextObserver {
    func context(_ context: ManagedObjectContext, didSave changes: SavedChanges) {}
}
