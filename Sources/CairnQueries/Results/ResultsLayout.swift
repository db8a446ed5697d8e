import CairnModel
import CairnObjects
import Foundation

/// The objects of a results controller in order, grouped into sections.
struct ResultsLayout {
    /// An object and the name of the section that it belongs to.
    struct Entry {
        let object: ManagedObject
        let sectionName: String
    }

    struct Section {
        let name: String
        var objects: [ManagedObject]
    }

    /// The position of an object.
    struct Position: Hashable {
        let section: Int
        let item: Int

        var indexPath: IndexPath { IndexPath(item: item, section: section) }
    }

    let sections: [Section]

    /// Groups objects by section. Sections are in the order of their first objects.
    ///
    /// - Parameter hasNames: Whether objects are grouped by section name. If `false`, there is exactly
    ///   one section, even without objects.
    init(_ entries: [Entry], hasNames: Bool) {
        guard hasNames else {
            sections = [Section(name: "", objects: entries.map(\.object))]
            return
        }
        var sections: [Section] = []
        var indices: [String: Int] = [:]
        for entry in entries {
            if let last = sections.last, last.name == entry.sectionName {
                sections[sections.count - 1].objects.append(entry.object)
            } else if let index = indices[entry.sectionName] {
                sections[index].objects.append(entry.object)
            } else {
                indices[entry.sectionName] = sections.count
                sections.append(Section(name: entry.sectionName, objects: [entry.object]))
            }
        }
        self.sections = sections
    }

    /// The position of each object.
    var positions: [ObjectIdentifier: Position] {
        var positions: [ObjectIdentifier: Position] = [:]
        positions.reserveCapacity(sections.reduce(0) { $0 + $1.objects.count })
        for (section, content) in sections.enumerated() {
            for (item, object) in content.objects.enumerated() {
                positions[ObjectIdentifier(object)] = Position(section: section, item: item)
            }
        }
        return positions
    }

    var snapshot: FetchedResultsSnapshot {
        FetchedResultsSnapshot(
            sections: sections.map { section in
                .init(name: section.name, objectIDs: section.objects.map(\.objectID))
            })
    }
}
