import CairnModel
import CairnObjects
import CairnStoreCopying

/// The objects that one entity mapping reads and creates, and which of the new ones continue which old ones.
///
/// Objects of a mapping without a policy have IDs that follow from those of the old objects. Only the objects of a
/// policy are noted.
final class MappedObjects {
    let index: Int
    let rule: ResolvedMapping.Rule
    let hasPolicy: Bool
    /// The number that is added to keys. It does not matter if there is a policy.
    private let keyOffset: Int64
    private let stores: (old: StoreNumber, new: StoreNumber)
    private var noted = ObjectPairs()
    /// New objects that have no permanent IDs yet, by the ID of the old object.
    private var unsaved: [ObjectID: [ManagedObject]] = [:]

    init(
        _ index: Int, _ rule: ResolvedMapping.Rule, keyOffset: Int64,
        stores: (old: StoreNumber, new: StoreNumber)
    ) {
        self.index = index
        self.rule = rule
        hasPolicy = rule.policy != nil
        self.keyOffset = keyOffset
        self.stores = stores
    }

    /// Notes that a new object continues an old one.
    func associate(_ source: ObjectID, _ destination: ManagedObject) {
        unsaved[source, default: []].append(destination)
    }

    /// Notes the permanent IDs of the associated objects, after a save.
    func settle() {
        if unsaved.isEmpty { return }
        for (source, objects) in unsaved.sorted(by: { $0.key.precedes($1.key) }) {
            for object in objects where !object.objectID.isTemporary {
                noted.append(source: source, destination: object.objectID)
            }
        }
        unsaved = [:]
    }

    /// Returns the new objects for an old object that have no permanent IDs yet.
    func unsavedDestinations(of source: ObjectID) -> [ManagedObject] {
        unsaved.isEmpty ? [] : unsaved[source] ?? []
    }

    /// Returns the IDs of the new objects for an old object.
    func destinationIDs(of source: ObjectID) -> [ObjectID] {
        if hasPolicy { return noted.destinations(of: source) }
        guard source.entity == rule.source.number else { return [] }
        return [
            ObjectID(
                store: stores.new, rootEntity: rule.destination.rootEntity.number,
                entity: rule.destination.number, key: source.key &+ keyOffset)
        ]
    }

    /// Returns the IDs of the old objects that a new object continues.
    func sourceIDs(of destination: ManagedObject) -> [ObjectID] {
        let id = destination.objectID
        let pending = unsaved.filter { $0.value.contains { $0 === destination } }.map(\.key)
        if id.isTemporary { return pending }
        if hasPolicy { return noted.sources(of: id) + pending }
        guard id.entity == rule.destination.number else { return [] }
        return [
            ObjectID(
                store: stores.old, rootEntity: rule.source.rootEntity.number,
                entity: rule.source.number, key: id.key &- keyOffset)
        ]
    }
}

/// Pairs of an old and a new object. They take 32 bytes each, because there may be a million.
struct ObjectPairs {
    private var pairs: [(source: ObjectID, destination: ObjectID)] = []
    /// Whether the pairs are in the order of the old objects. A migration notes them in that order.
    private var areInOrder = true
    /// The indices of the pairs in the order of the new objects. Made when they are needed.
    private var byDestination: [UInt32] = []

    mutating func append(source: ObjectID, destination: ObjectID) {
        if let last = pairs.last, source.precedes(last.source) { areInOrder = false }
        pairs.append((source, destination))
        byDestination = []
    }

    /// Returns the new objects for an old one, in the order in which they were noted.
    mutating func destinations(of source: ObjectID) -> [ObjectID] {
        if !areInOrder {
            pairs.sort { $0.source.precedes($1.source) }
            areInOrder = true
            byDestination = []
        }
        var index = pairs.indices.firstIndex { !pairs[$0].source.precedes(source) }
        var found: [ObjectID] = []
        while index < pairs.count, pairs[index].source == source {
            found.append(pairs[index].destination)
            index += 1
        }
        return found
    }

    /// Returns the old objects for a new one.
    mutating func sources(of destination: ObjectID) -> [ObjectID] {
        if byDestination.isEmpty {
            byDestination = pairs.indices.map(UInt32.init)
            byDestination.sort {
                pairs[Int($0)].destination.precedes(pairs[Int($1)].destination)
            }
        }
        var index = pairs.indices.firstIndex {
            !pairs[Int(byDestination[$0])].destination.precedes(destination)
        }
        var found: [ObjectID] = []
        while index < pairs.count, pairs[Int(byDestination[index])].destination == destination {
            found.append(pairs[Int(byDestination[index])].source)
            index += 1
        }
        return found
    }
}

extension Range<Int> {
    /// Returns the first index for which a condition is true, or the end of the range. If the condition is true for an
    /// index, it must be true for all later ones.
    fileprivate func firstIndex(_ condition: (Int) -> Bool) -> Int {
        var (low, high) = (lowerBound, upperBound)
        while low < high {
            let middle = low + (high - low) / 2
            if condition(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
