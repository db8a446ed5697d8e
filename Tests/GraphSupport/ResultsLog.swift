import Cairn
import Foundation

/// Records the calls of a results controller to its delegate, as a list of lines for each round.
package final class ResultsLog: FetchedResultsControllerDelegate {
    package private(set) var rounds: [[String]] = []

    package init() {}

    private func add(_ line: String) { rounds[rounds.count - 1].append(line) }

    package func controllerWillChangeContent(_ controller: FetchedResultsController<ManagedObject>)
    {
        rounds.append([])
    }

    package func controller(
        _ controller: FetchedResultsController<ManagedObject>,
        didChange section: FetchedResultsSection<ManagedObject>, atSectionIndex index: Int,
        for type: FetchedResultsChangeType
    ) {
        add("section \(type == .insert ? "+" : "-") \(section.name) \(index)")
    }

    package func controller(
        _ controller: FetchedResultsController<ManagedObject>, didChange object: ManagedObject,
        at indexPath: IndexPath?, for type: FetchedResultsChangeType, newIndexPath: IndexPath?
    ) {
        let sign =
            switch type {
            case .insert: "+"
            case .delete: "-"
            case .move: ">"
            case .update: "~"
            }
        let paths = [indexPath, newIndexPath].compactMap { $0.map { "\($0.section).\($0.item)" } }
        add(([sign, object.shownName] + paths).joined(separator: " "))
    }
}

extension ManagedObject {
    fileprivate var shownName: String {
        let key = entity.property(named: "title") == nil ? "name" : "title"
        return (try? value(forKey: key) as? String) ?? "?"
    }
}
