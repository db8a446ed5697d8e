import Foundation

/// Told how a results controller's objects change, inside of the context's turn.
///
/// One event of the context is one round: will change, each section, each object, did change, the
/// snapshot. Every requirement has a default that does nothing.
public protocol FetchedResultsControllerDelegate<Result>: AnyObject {
    /// The class of the controller's objects.
    associatedtype Result: ManagedObject

    /// Called before the first change of a round; the controller shows the old state.
    func controllerWillChangeContent(_ controller: FetchedResultsController<Result>)

    /// Called for each section that came or went.
    ///
    /// - Parameter sectionIndex: of the new state where it came, of the old one where it went.
    func controller(
        _ controller: FetchedResultsController<Result>,
        didChange section: FetchedResultsSection<Result>, atSectionIndex sectionIndex: Int,
        for type: FetchedResultsChangeType)

    /// Called for each object that came, went, moved, or was changed in its place.
    ///
    /// - Parameters:
    ///   - indexPath: in the old state; nil for an insertion.
    ///   - newIndexPath: in the new state; nil for a deletion.
    func controller(
        _ controller: FetchedResultsController<Result>, didChange object: Result,
        at indexPath: IndexPath?, for type: FetchedResultsChangeType, newIndexPath: IndexPath?)

    /// Called behind the last change of a round; the controller shows the new state.
    func controllerDidChangeContent(_ controller: FetchedResultsController<Result>)

    /// Called at the end of a round with the whole change and the new state, by IDs.
    func controller(
        _ controller: FetchedResultsController<Result>,
        didChangeContentWith change: FetchedResultsChange)

    /// Returns the title for a section in an index; nil: none.
    func controller(
        _ controller: FetchedResultsController<Result>, sectionIndexTitleForSectionName name: String
    ) -> String?

    /// Called where an event could not be followed, because a store failed. The controller shows
    /// the old state until ``FetchedResultsController/performFetch()`` succeeds.
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

    /// Returns the name's first letter as a capital.
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
