import CairnModel
import CairnStore

/// A section of a results controller.
public struct FetchedResultsSection<Result: ManagedObject> {
    /// The value of the section's key path as text, or "" if there is no path.
    public let name: String
    /// The title of the section in an index, or `nil` if it has none.
    public let indexTitle: String?
    /// The objects of the section in order.
    public let objects: [Result]

    /// How many objects the section has.
    public var numberOfObjects: Int { objects.count }
}
