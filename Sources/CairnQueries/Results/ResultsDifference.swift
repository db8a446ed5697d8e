import CairnModel
import CairnObjects

/// The difference between two layouts, with as few moves as possible.
struct ResultsDifference {
    typealias Position = ResultsLayout.Position

    /// The indices of deleted sections in the old layout, in ascending order.
    private(set) var deletedSections: [Int] = []
    /// The indices of inserted sections in the new layout, in ascending order.
    private(set) var insertedSections: [Int] = []
    private(set) var deleted: [(object: ManagedObject, position: Position)] = []
    /// The insertions. Insertions, moves and updates are in the order of the new layout.
    private(set) var inserted: [(object: ManagedObject, position: Position)] = []
    private(set) var moved: [(object: ManagedObject, from: Position, to: Position)] = []
    private(set) var updated: [(object: ManagedObject, from: Position, to: Position)] = []

    var isEmpty: Bool {
        deletedSections.isEmpty && insertedSections.isEmpty && deleted.isEmpty
            && inserted.isEmpty && moved.isEmpty && updated.isEmpty
    }

    /// Compares two layouts.
    ///
    /// - Parameter changed: The objects with changes. If an object must be reported as moved, a changed
    ///   object is chosen rather than an unchanged object that it passed.
    /// - Complexity: O(*n*) if no object moves, otherwise O(*n* log *n*).
    init(from old: ResultsLayout, to new: ResultsLayout, changed: Set<ObjectIdentifier>) {
        let kept = compareSections(old, new)
        let oldPositions = old.positions
        var remaining: Set<ObjectIdentifier> = []
        for (index, section) in new.sections.enumerated() {
            var stayers: [(object: ManagedObject, from: Position, to: Position)] = []
            for (item, object) in section.objects.enumerated() {
                let position = Position(section: index, item: item)
                guard let former = oldPositions[ObjectIdentifier(object)] else {
                    inserted.append((object, position))
                    continue
                }
                remaining.insert(ObjectIdentifier(object))
                if former.section == kept[index] {
                    stayers.append((object, former, position))
                } else {
                    moved.append((object, former, position))
                }
            }
            sort(stayers, changed)
        }
        for (index, section) in old.sections.enumerated() {
            for (item, object) in section.objects.enumerated()
            where !remaining.contains(ObjectIdentifier(object)) {
                deleted.append((object, Position(section: index, item: item)))
            }
        }
    }

    /// Separates objects that keep their position relative to their neighbours from objects that move.
    private mutating func sort(
        _ stayers: [(object: ManagedObject, from: Position, to: Position)],
        _ changed: Set<ObjectIdentifier>
    ) {
        let isChanged = stayers.map { changed.contains(ObjectIdentifier($0.object)) }
        // One unchanged object outweighs all changed objects.
        let weights = isChanged.map { $0 ? 1 : stayers.count + 1 }
        let isInPlace = longestIncreasingSubsequence(of: stayers.map(\.from.item), weights: weights)
        for (index, stayer) in stayers.enumerated() {
            if !isInPlace[index] {
                moved.append(stayer)
            } else if isChanged[index] {
                updated.append(stayer)
            }
        }
    }

    /// Returns the old index of each section of the new layout that was kept.
    private mutating func compareSections(
        _ old: ResultsLayout, _ new: ResultsLayout
    ) -> [Int: Int] {
        let oldIndices = Dictionary(
            old.sections.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first }
        )
        let common = new.sections.indices.compactMap { index in
            oldIndices[new.sections[index].name].map { (new: index, old: $0) }
        }
        let isInPlace = longestIncreasingSubsequence(
            of: common.map(\.old), weights: Array(repeating: 1, count: common.count))
        var kept: [Int: Int] = [:]
        for (pair, isInPlace) in zip(common, isInPlace) where isInPlace {
            kept[pair.new] = pair.old
        }
        let keptOld = Set(kept.values)
        deletedSections = old.sections.indices.filter { !keptOld.contains($0) }
        insertedSections = new.sections.indices.filter { kept[$0] == nil }
        return kept
    }
}

/// Returns for each element whether it belongs to the increasing subsequence with the greatest weight.
///
/// - Complexity: O(*n*) for an increasing sequence, otherwise O(*n* log *n*), using a Fenwick tree of
///   prefix maxima (Fenwick, “A new data structure for cumulative frequency tables”, 1994).
private func longestIncreasingSubsequence(of values: [Int], weights: [Int]) -> [Bool] {
    if zip(values, values.dropFirst()).allSatisfy({ $0 < $1 }) {
        return Array(repeating: true, count: values.count)
    }
    // Each element is the best run that ends with a value up to a rank: its weight, and its last element.
    var best: [(weight: Int, last: Int)] = Array(repeating: (0, -1), count: values.count + 1)
    var previous = Array(repeating: -1, count: values.count)
    let ranks = Dictionary(
        values.sorted().enumerated().map { ($1, $0 + 1) }, uniquingKeysWith: { first, _ in first })
    for (index, value) in values.enumerated() {
        let rank = ranks[value] ?? 1
        var longest = (weight: 0, last: -1)
        var node = rank - 1
        while node > 0 {
            if best[node].weight > longest.weight { longest = best[node] }
            node -= node & -node
        }
        previous[index] = longest.last
        let weight = longest.weight + weights[index]
        node = rank
        while node < best.count {
            if best[node].weight < weight { best[node] = (weight, index) }
            node += node & -node
        }
    }
    var isChosen = Array(repeating: false, count: values.count)
    var node = values.count
    var last = (weight: 0, last: -1)
    while node > 0 {
        if best[node].weight > last.weight { last = best[node] }
        node -= node & -node
    }
    var index = last.last
    while index >= 0 {
        isChosen[index] = true
        index = previous[index]
    }
    return isChosen
}
