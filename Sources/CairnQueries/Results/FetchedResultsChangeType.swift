/// The kind of change of a section or an object of a results controller.
public enum FetchedResultsChangeType: Sendable, Hashable {
    /// An insertion, a deletion, a move, or a change without a move (`update`). Sections are only
    /// inserted and deleted.
    case insert, delete, move, update
}
