/// An observer that receives a context's events, with the objects themselves, inside the context's turn.
///
/// For parts of the context, such as a results controller. Other code uses the context's notifications or
/// ``ContextHandle/changes``.
package protocol ContextObserver: AnyObject {
    /// Called when an event with changes, including merged ones, has ended. Changes that the observer
    /// makes here belong to the next event.
    func context(_ context: ManagedObjectContext, didChange changes: EventChanges)

    /// Called after a save succeeded. New objects already have permanent IDs.
    func context(_ context: ManagedObjectContext, didSave changes: SavedChanges)
}

extension ContextObserver {
    func context(_ context: ManagedObjectContext, didSave changes: SavedChanges) {}
}
