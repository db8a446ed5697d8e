import CairnModel
import CairnObjects
import Foundation

/// The contents of a results controller at one moment, as object IDs. A snapshot can be used on any
/// thread and in any task.
public struct FetchedResultsSnapshot: Sendable, Hashable {
    /// A section and its objects, in order.
    public struct Section: Sendable, Hashable {
        /// The section's name, which is "" if the controller does not divide its objects into sections.
        public var name: String
        /// The IDs of the section's objects. Objects that have not been saved have temporary IDs.
        public var objectIDs: [ObjectID]

        /// Creates a section, for example in a test.
        package init(name: String, objectIDs: [ObjectID]) {
            self.name = name
            self.objectIDs = objectIDs
        }
    }

    /// The sections, in the order in which the controller shows them.
    public var sections: [Section]

    /// Creates a snapshot, for example in a test. By default, it is empty.
    package init(sections: [Section] = []) {
        self.sections = sections
    }

    /// The IDs of all objects, section by section.
    public var objectIDs: [ObjectID] { sections.flatMap(\.objectIDs) }

    /// Returns the index path of an object, or `nil` if the snapshot does not contain the object.
    ///
    /// - Complexity: O(*n*).
    public func indexPath(of id: ObjectID) -> IndexPath? {
        for (index, section) in sections.enumerated() {
            if let item = section.objectIDs.firstIndex(of: id) {
                return IndexPath(item: item, section: index)
            }
        }
        return nil
    }
}

#if !canImport(UIKit) && !canImport(AppKit)
extension IndexPath {
    /// Creates the index path of an item in a section, as UIKit and AppKit do.
    public init(item: Int, section: Int) {
        self.init(indexes: [section, item])
    }

    /// The first index.
    ///
    /// - Precondition: The path has at least one index.
    public var section: Int { self[0] }
    /// The second index.
    ///
    /// - Precondition: The path has at least two indices.
    public var item: Int { self[1] }
}
#endif

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
