import CairnModel
import Foundation

/// The difference between two states of a results controller.
///
/// The index paths of deletions, and the first index paths of moves and updates, refer to the old state.
/// The index paths of insertions, and the second index paths of moves and updates, refer to the new
/// state. Table and collection views expect this. Sections never move: a section whose position among the
/// others changes is deleted and inserted, and its objects move.
public struct FetchedResultsChange: Sendable, Hashable {
    /// How an object changed.
    public enum Kind: Sendable, Hashable {
        /// The object is new among the results, at an index path of the new state.
        case inserted(at: IndexPath)
        /// The object is no longer among the results. The index path is the one in the old state.
        case deleted(at: IndexPath)
        /// The object changed its position relative to the objects around it, or its section. `from` is
        /// the index path in the old state, and `to` the index path in the new state. Values of the
        /// object may have changed, too.
        case moved(from: IndexPath, to: IndexPath)
        /// The object changed, but kept its position relative to the objects around it. A save that gives
        /// a new object a permanent ID is such an update.
        case updated(from: IndexPath, to: IndexPath)
    }

    /// An object and how it changed.
    public struct ObjectChange: Sendable, Hashable {
        /// The object's ID after the change.
        public var id: ObjectID
        /// How the object changed.
        public var kind: Kind
    }

    /// The indices of the deleted sections in the old state, in ascending order.
    public var deletedSections: [Int]
    /// The indices of the inserted sections in the new state, in ascending order.
    public var insertedSections: [Int]
    /// The changes of objects: first the deletions, then insertions, moves and updates, each in the new
    /// order.
    public var objects: [ObjectChange]
    /// The state after the change, with all sections and objects.
    public var snapshot: FetchedResultsSnapshot

    /// Applies the change to the old state. The result is the new state, ``snapshot``.
    ///
    /// - Precondition: `old` is the state that the change began with.
    public func applied(to old: FetchedResultsSnapshot) -> FetchedResultsSnapshot {
        var sections = old.sections.map { section in
            (name: section.name, ids: section.objectIDs.map(ObjectID?.some))
        }
        var arrivals: [(path: IndexPath, id: ObjectID)] = []
        for change in objects {
            switch change.kind {
            case .inserted(let path): arrivals.append((path, change.id))
            case .deleted(let path): sections[path.section].ids[path.item] = nil
            case .moved(let from, let to):
                sections[from.section].ids[from.item] = nil
                arrivals.append((to, change.id))
            case .updated(let from, _): sections[from.section].ids[from.item] = change.id
            }
        }
        for index in deletedSections.reversed() { sections.remove(at: index) }
        var result = sections.map { section in
            FetchedResultsSnapshot.Section(
                name: section.name, objectIDs: section.ids.compactMap { $0 })
        }
        for index in insertedSections {
            result.insert(
                .init(name: snapshot.sections[index].name, objectIDs: []), at: index)
        }
        for arrival in arrivals.sorted(by: { $0.path < $1.path }) {
            result[arrival.path.section].objectIDs.insert(arrival.id, at: arrival.path.item)
        }
        return FetchedResultsSnapshot(sections: result)
    }
}

/// The kind of change of a section or an object of a results controller.
public enum FetchedResultsChangeType: Sendable, Hashable {
    /// An insertion, a deletion, a move, or a change without a move (`update`). Sections are only
    /// inserted and deleted.
    case insert, delete, move, update
}
