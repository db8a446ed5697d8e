import CairnModel
import Foundation

/// How a results controller came from one state to the next.
///
/// Deletions and the first places of moves and updates are places of the old state, insertions and
/// second places are those of the new one, as table and collection views have it. Sections never
/// move: one whose place among the others changes is deleted and inserted, and its objects move.
public struct FetchedResultsChange: Sendable, Hashable {
    /// What became of an object.
    public enum Kind: Sendable, Hashable {
        case inserted(at: IndexPath)
        case deleted(at: IndexPath)
        case moved(from: IndexPath, to: IndexPath)
        /// Changed, and in the same place among those around it. A new object's ID becomes a
        /// permanent one by an update.
        case updated(from: IndexPath, to: IndexPath)
    }

    /// One object and what became of it.
    public struct ObjectChange: Sendable, Hashable {
        /// The object's ID after the change.
        public var id: ObjectID
        /// What became of it.
        public var kind: Kind
    }

    /// Places of the old state, ascending.
    public var deletedSections: [Int]
    /// Places of the new state, ascending.
    public var insertedSections: [Int]
    /// Deletions, then insertions, moves and updates in the new order.
    public var objects: [ObjectChange]
    /// The new state.
    public var snapshot: FetchedResultsSnapshot

    /// Replays the change on the old state. The result is the new one, ``snapshot``.
    ///
    /// - Precondition: `old` is the state that the change began with.
    public func applied(to old: FetchedResultsSnapshot) -> FetchedResultsSnapshot {
        var sections = old.sections.map { section in
            (name: section.name, ids: section.objectIDs.map(ObjectID?.some))
        }
        var arrivals: [(place: IndexPath, id: ObjectID)] = []
        for change in objects {
            switch change.kind {
            case .inserted(let place): arrivals.append((place, change.id))
            case .deleted(let place): sections[place.section].ids[place.item] = nil
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
        for arrival in arrivals.sorted(by: { $0.place < $1.place }) {
            result[arrival.place.section].objectIDs.insert(arrival.id, at: arrival.place.item)
        }
        return FetchedResultsSnapshot(sections: result)
    }
}
