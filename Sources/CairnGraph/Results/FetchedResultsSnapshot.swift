import CairnModel
import Foundation

/// What a results controller shows at one moment, by object IDs: for any thread and task.
public struct FetchedResultsSnapshot: Sendable, Hashable {
    /// A section with its objects in order.
    public struct Section: Sendable, Hashable {
        /// The section's name; "" where the controller has one section without a name.
        public var name: String
        /// Its objects; those that no store has yet by temporary IDs.
        public var objectIDs: [ObjectID]

        /// A section of these objects.
        public init(name: String, objectIDs: [ObjectID]) {
            self.name = name
            self.objectIDs = objectIDs
        }
    }

    /// In order.
    public var sections: [Section]

    /// What a controller shows that has these sections.
    public init(sections: [Section] = []) {
        self.sections = sections
    }

    /// All objects, section after section.
    public var objectIDs: [ObjectID] { sections.flatMap(\.objectIDs) }

    /// Where an object is; nil: nowhere.
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
    /// Names an item of a section, as UIKit's and AppKit's form does.
    public init(item: Int, section: Int) {
        self.init(indexes: [section, item])
    }

    /// The first index.
    ///
    /// - Precondition: the path has one.
    public var section: Int { self[0] }
    /// The second index.
    ///
    /// - Precondition: the path has two.
    public var item: Int { self[1] }
}
#endif
