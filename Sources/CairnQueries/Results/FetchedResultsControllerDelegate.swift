import CairnObjects
import CairnStack
import Foundation

/// A delegate that is notified in a turn of the context when a results controller's objects change.
///
/// One event of the context causes one round of calls: will change, each section, each object, did
/// change, and the whole change by IDs. All requirements have default implementations. The default
/// implementations do nothing, except that of the method that returns an index title.
public protocol FetchedResultsControllerDelegate<Result>: AnyObject {
    /// The class of the controller's objects.
    associatedtype Result: ManagedObject

    /// Called before the first change of a round. The controller still shows the old state.
    func controllerWillChangeContent(_ controller: FetchedResultsController<Result>)

    /// Called for each section that was inserted or deleted.
    ///
    /// - Parameters:
    ///   - controller: The controller that the change belongs to. It already shows the new state.
    ///   - section: The section, in its new state for an insertion, and in its old state for a
    ///     deletion.
    ///   - sectionIndex: The index in the new state for an insertion, and in the old state for a
    ///     deletion.
    ///   - type: `.insert` or `.delete`.
    func controller(
        _ controller: FetchedResultsController<Result>,
        didChange section: FetchedResultsSection<Result>, atSectionIndex sectionIndex: Int,
        for type: FetchedResultsChangeType)

    /// Called for each object that was inserted, deleted, moved, or changed without moving.
    ///
    /// - Parameters:
    ///   - controller: The controller that the change belongs to. It already shows the new state.
    ///   - object: The object that was inserted, deleted, moved or changed.
    ///   - indexPath: The index path in the old state. `nil` for an insertion.
    ///   - type: The kind of change.
    ///   - newIndexPath: The index path in the new state. `nil` for a deletion.
    func controller(
        _ controller: FetchedResultsController<Result>, didChange object: Result,
        at indexPath: IndexPath?, for type: FetchedResultsChangeType, newIndexPath: IndexPath?)

    /// Called after the last change of a round. The controller now shows the new state.
    func controllerDidChangeContent(_ controller: FetchedResultsController<Result>)

    /// Called at the end of a round with the whole change by IDs, which includes the new state.
    func controller(
        _ controller: FetchedResultsController<Result>,
        didChangeContentWith change: FetchedResultsChange)

    /// Returns the index title of a section, or `nil` if the section has no title.
    func controller(
        _ controller: FetchedResultsController<Result>, sectionIndexTitleForSectionName name: String
    ) -> String?

    /// Called if the controller could not follow an event because a store failed. The controller keeps
    /// showing the old state until ``FetchedResultsController/performFetch()`` succeeds.
    func controller(
        _ controller: FetchedResultsController<Result>, didFailWith error: GraphError)
}

extension FetchedResultsControllerDelegate {
    /// Does nothing.
    public func controllerWillChangeContent(_ controller: FetchedResultsController<Result>) {}

    /// Does nothing.
    public func controller(
        _ controller: FetchedResultsController<Result>,
        didChange section: FetchedResultsSection<Result>, atSectionIndex sectionIndex: Int,
        for type: FetchedResultsChangeType
    ) {}

    /// Does nothing.
    public func controller(
        _ controller: FetchedResultsController<Result>, didChange object: Result,
        at indexPath: IndexPath?, for type: FetchedResultsChangeType, newIndexPath: IndexPath?
    ) {}

    /// Does nothing.
    public func controllerDidChangeContent(_ controller: FetchedResultsController<Result>) {}

    /// Does nothing.
    public func controller(
        _ controller: FetchedResultsController<Result>,
        didChangeContentWith change: FetchedResultsChange
    ) {}

    /// Returns the first letter of the name in upper case, or `nil` if the name is empty.
    public func controller(
        _ controller: FetchedResultsController<Result>, sectionIndexTitleForSectionName name: String
    ) -> String? {
        name.first.map { $0.uppercased() }
    }

    /// Does nothing.
    public func controller(
        _ controller: FetchedResultsController<Result>, didFailWith error: GraphError
    ) {}
}
