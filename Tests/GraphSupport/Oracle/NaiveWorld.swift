/// The expected states of a store and of the contexts above it. Each has its own graph.
package struct NaiveWorld: Sendable {
    /// A context: the graph that it shows, the graph that its parent or store showed when the two last
    /// agreed, and the graphs to undo and redo.
    package struct Layer: Hashable, Sendable {
        var graph: NaiveGraph
        var base: NaiveGraph
        var undone: [NaiveGraph] = []
        var redone: [NaiveGraph] = []

        /// Records the graph before an event, so that the event can be undone.
        mutating func note(_ former: NaiveGraph) {
            undone.append(former)
            redone = []
        }

        mutating func forgetUndo() {
            undone = []
            redone = []
        }
    }

    private(set) package var stored = NaiveGraph()
    /// The layers from the context of the store to the newest child. Never empty.
    private(set) package var layers = [Layer(graph: NaiveGraph(), base: NaiveGraph())]
    private var serial = 0

    package init() {}

    private var top: Layer {
        get { layers[layers.count - 1] }
        set { layers[layers.count - 1] = newValue }
    }

    /// The graph that the current context shows.
    package var graph: NaiveGraph { top.graph }
    /// Whether the current context must report changes.
    package var hasChanges: Bool { top.graph != top.base }

    /// Applies an event. Returns the action to perform on the real contexts, or `nil` if the event has no
    /// effect.
    package mutating func apply(_ event: GraphEvent) -> GraphAction? {
        switch event {
        case .edits(let edits): return apply(edits)
        case .undo:
            if let former = top.undone.popLast() {
                top.redone.append(top.graph)
                top.graph = former
            }
            return .undo
        case .redo:
            if let later = top.redone.popLast() {
                top.undone.append(top.graph)
                top.graph = later
            }
            return .redo
        case .save:
            guard layers.count == 1 else { return saveIntoParent().map { _ in .save } }
            saveIntoStore()
            return .save
        case .rollback:
            top.graph = top.base
            top.forgetUndo()
            return .rollback
        case .reset:
            top.graph = top.base
            top.forgetUndo()
            return .reset
        case .refresh(let pick): return top.graph.any(pick).map { .refresh($0) }
        case .refreshAll: return .refreshAll
        case .forget: return .forget
        case .obtainIDs: return .obtainIDs
        case .beginChild:
            guard layers.count < 3 else { return nil }
            layers.append(Layer(graph: top.graph, base: top.graph))
            return .beginChild
        case .saveChild:
            guard saveIntoParent() != nil else { return nil }
            layers.removeLast()
            return .saveChild
        case .dropChild:
            guard layers.count > 1 else { return nil }
            layers.removeLast()
            return .dropChild
        case .elsewhere(let picks, let policy): return elsewhere(picks, policy)
        }
    }

    private mutating func apply(_ edits: [GraphEdit]) -> GraphAction? {
        let former = top.graph
        var operations: [GraphOperation] = []
        for edit in edits {
            serial += 1
            guard let operation = top.graph.apply(edit, serial: serial) else { continue }
            operations.append(operation)
            // Objects deleted by a cascade disappear when the event ends.
            if case .delete = operation { break }
        }
        guard !operations.isEmpty else { return nil }
        // An event that changes nothing cannot be undone.
        if top.graph != former { top.note(former) }
        return .edits(operations)
    }

    private mutating func saveIntoStore() {
        stored = top.graph
        top.base = top.graph
    }

    /// Returns `nil` if the context has no parent.
    private mutating func saveIntoParent() -> Void? {
        guard layers.count > 1 else { return nil }
        let parent = layers.count - 2
        if layers[parent].graph != top.graph {
            layers[parent].note(layers[parent].graph)
            layers[parent].graph = top.graph
        }
        top.base = top.graph
        return ()
    }

    // MARK: Two contexts

    private mutating func elsewhere(_ picks: [Int], _ policy: ConflictPolicy) -> GraphAction? {
        guard layers.count == 1 else { return nil }
        var edits: [ForeignEdit] = []
        var theirs = stored
        for pick in picks {
            serial += 1
            guard let edit = foreignEdit(pick),
                !edits.contains(where: { $0.number == edit.number })
            else { continue }
            edit.apply(to: &theirs)
            edits.append(edit)
        }
        guard !edits.isEmpty else { return nil }
        let conflicts = Set(edits.map(\.number))
            .filter { stored.nodes[$0] != nil && top.graph.nodes[$0] != stored.nodes[$0] }
        top.graph = merged(with: theirs, edits, conflicts, policy)
        saveIntoStore()
        top.forgetUndo()
        return .elsewhere(edits, policy, conflicts: conflicts)
    }

    /// Returns the change that a pick causes in another context. Returns `nil` if the picked node has
    /// different relationships here than in the store, or none that could be removed.
    private func foreignEdit(_ pick: Int) -> ForeignEdit? {
        if pick % 5 == 0 {
            let kind = NodeKind.allCases[pick / 5 % NodeKind.allCases.count]
            return ForeignEdit(number: serial, change: .insert(kind))
        }
        guard let number = stored.any(pick), let mine = top.graph.nodes[number],
            top.graph.relations(of: number) == stored.relations(of: number)
        else { return nil }
        if pick % 5 == 1 {
            // The deletion must not conflict with changes here, and must not delete other objects.
            let isAlone = stored.relations(of: number).allSatisfy(\.isEmpty)
            guard isAlone, mine == stored.nodes[number] else { return nil }
            return ForeignEdit(number: number, change: .delete)
        }
        return ForeignEdit(
            number: number,
            change: pick % 2 == 0 ? .setText("elsewhere \(serial)") : .setRank(Int32(-serial)))
    }

    /// Returns the final state of the context and the store. A refused save is repeated on the newest rows,
    /// and keeps this context's values.
    private func merged(
        with theirs: NaiveGraph, _ edits: [ForeignEdit], _ conflicts: Set<Int>,
        _ policy: ConflictPolicy
    ) -> NaiveGraph {
        var result = top.graph
        for number in edits.map(\.number) {
            guard conflicts.contains(number), let base = stored.nodes[number],
                let mine = top.graph.nodes[number], let stored = theirs.nodes[number]
            else {
                result.nodes[number] = theirs.nodes[number]
                continue
            }
            result.nodes[number] =
                switch policy {
                case .error, .objectTrump: Self.merge(base, winner: mine, loser: stored)
                case .storeTrump: Self.merge(base, winner: stored, loser: mine)
                case .overwrite: mine
                case .rollback: stored
                }
        }
        return result
    }

    private static func merge(
        _ base: NaiveGraph.Node, winner: NaiveGraph.Node, loser: NaiveGraph.Node
    ) -> NaiveGraph.Node {
        var node = winner
        func take<Value: Equatable>(_ property: WritableKeyPath<NaiveGraph.Node, Value>) {
            if winner[keyPath: property] == base[keyPath: property] {
                node[keyPath: property] = loser[keyPath: property]
            }
        }
        take(\.text)
        take(\.rank)
        take(\.topic)
        return node
    }
}

/// A change by another context to a node.
package struct ForeignEdit: Hashable, Sendable {
    package enum Change: Hashable, Sendable {
        case insert(NodeKind)
        case setText(String)
        case setRank(Int32)
        case delete
    }

    package let number: Int
    package let change: Change

    fileprivate func apply(to graph: inout NaiveGraph) {
        switch change {
        case .insert(let kind): graph.nodes[number] = NaiveGraph.Node(kind: kind)
        case .setText(let text): graph.nodes[number]?.text = text
        case .setRank(let rank): graph.nodes[number]?.rank = rank
        case .delete: graph.nodes[number] = nil
        }
    }
}

/// An event with its choices made.
package enum GraphAction: Hashable, Sendable {
    case edits([GraphOperation])
    case undo, redo, save, rollback, reset, refreshAll, forget, obtainIDs
    case beginChild, saveChild, dropChild
    case refresh(Int)
    case elsewhere([ForeignEdit], ConflictPolicy, conflicts: Set<Int>)
}
