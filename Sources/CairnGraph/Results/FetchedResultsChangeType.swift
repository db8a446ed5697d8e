/// The kind of change of a section or an object of a results controller.
public enum FetchedResultsChangeType: Sendable, Hashable {
    case insert, delete, move, update
}
