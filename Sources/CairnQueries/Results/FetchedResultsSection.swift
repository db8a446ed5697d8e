import CairnModel
import CairnObjects

/// A section of a results controller.
public struct FetchedResultsSection<Result: ManagedObject> {
    /// The value of the section's key path as text, or "" if the controller has no key path.
    public let name: String
    /// The index title of the section, or `nil` if the section has no title.
    public let indexTitle: String?
    /// The objects of the section, in the order of the request's sort descriptors.
    public let objects: [Result]

    /// The number of objects in the section, as `objects.count`. Core Data uses this name.
    public var numberOfObjects: Int { objects.count }
}
