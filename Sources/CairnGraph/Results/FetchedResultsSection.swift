import CairnModel
import CairnStore

/// A section of a results controller.
public struct FetchedResultsSection<Result: ManagedObject> {
    /// What the section's path leads to, as text; "" where there is no path.
    public let name: String
    /// For an index beside the list; nil: none.
    public let indexTitle: String?
    /// The objects of the section in order.
    public let objects: [Result]

    /// How many objects the section has.
    public var numberOfObjects: Int { objects.count }
}
