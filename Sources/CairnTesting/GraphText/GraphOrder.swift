import Cairn

/// An order of the objects of a graph that depends only on their contents.
///
/// The algorithm is colour refinement. At first, objects with equal attributes have the same colour. Objects
/// of one colour are then separated if the colours of their destinations differ, or the colours of the
/// objects that lead to them. This repeats until no more objects can be distinguished. The colour of objects
/// is also their position in the order.
struct GraphOrder {
    /// A relationship that leads to a node.
    private struct Arrival {
        let relationship: Int
        let source: Int
        /// The index among the members of an ordered relationship. 0 for any other relationship.
        let position: Int
    }

    private let nodes: [GraphNode]
    /// The relationships that lead to each node. They are needed because a node's own relationships do not
    /// show relationships without an inverse, or the node's index in an ordered relationship.
    private let arrivals: [[Arrival]]

    init(_ nodes: [GraphNode]) {
        self.nodes = nodes
        let names = Set(nodes.flatMap { $0.links.map(\.name) })
            .sorted { $0.compared(to: $1) == .before }
        let numbers = Dictionary(uniqueKeysWithValues: zip(names, 0...))
        var arrivals: [[Arrival]] = Array(repeating: [], count: nodes.count)
        for (source, node) in nodes.enumerated() {
            for link in node.links {
                for (position, target) in link.targets.enumerated() {
                    guard case .node(let index) = target else { continue }
                    arrivals[index].append(
                        Arrival(
                            relationship: numbers[link.name, default: 0], source: source,
                            position: link.isOrdered ? position : 0))
                }
            }
        }
        self.arrivals = arrivals
    }

    /// Returns the indices of the nodes in sorted order.
    func sorted() -> [Int] {
        let texts = nodes.map { node in node.values.filter { $0.value.isText }.map(\.value) }
        let others = nodes.map { node in node.values.filter { !$0.value.isText }.map(\.value) }
        var colours = Colours(nodes.indices) { left, right in
            nodes[left].entity.name.compared(to: nodes[right].entity.name)
                .then(texts[left].compared(to: texts[right]))
                .then(others[left].compared(to: others[right]))
        }
        refine(&colours)
        while let alike = colours.firstClassOfSeveral {
            let first = alike.min { nodes[$0].object.objectID.key < nodes[$1].object.objectID.key }
            colours.separate(first ?? alike[0])
            refine(&colours)
        }
        return colours.order
    }

    /// Separates colours until nothing changes any more.
    private func refine(_ colours: inout Colours) {
        var count = 0
        while count < colours.count, colours.count < nodes.count {
            count = colours.count
            let known = colours
            let keys = nodes.indices.map { key(of: nodes[$0], $0, known) }
            colours = Colours(nodes.indices) { keys[$0].compared(to: keys[$1]) }
        }
    }

    /// Returns the node's colour, the colours of its destinations, and the colours of the nodes that lead to
    /// it.
    private func key(of node: GraphNode, _ index: Int, _ colours: Colours) -> [Int] {
        var key = [colours[index]]
        for link in node.links {
            let targets = link.targets.map { target -> Int in
                if case .node(let index) = target { colours[index] } else { -1 }
            }
            key.append(targets.count)
            key += link.isOrdered ? targets : targets.sorted()
        }
        let arriving = arrivals[index].map { [$0.relationship, colours[$0.source], $0.position] }
        return arriving.sorted { $0.compared(to: $1) == .before }.reduce(into: key) { $0 += $1 }
    }
}

/// A colour for each node.
private struct Colours {
    /// The nodes. Nodes of the same colour are adjacent.
    private(set) var order: [Int]
    private var colours: [Int]
    /// The number of colours.
    private(set) var count = 0

    /// Assigns the same colour to nodes that compare as equal.
    init(_ nodes: Range<Int>, _ compare: (Int, Int) -> Ordering) {
        order = nodes.sorted { compare($0, $1) == .before }
        colours = Array(repeating: 0, count: nodes.count)
        for (position, node) in order.enumerated() {
            if position == 0 || compare(order[position - 1], node) != .same { count += 1 }
            colours[node] = count - 1
        }
    }

    subscript(node: Int) -> Int { colours[node] }

    /// The nodes of the first colour that more than one node has. `nil` if all nodes have different colours.
    var firstClassOfSeveral: [Int]? {
        if count == order.count { return nil }
        let pairs = zip(order, order.dropFirst())
        guard let (first, _) = pairs.first(where: { colours[$0] == colours[$1] }) else {
            return nil
        }
        return order.filter { colours[$0] == colours[first] }
    }

    /// Gives a node its own colour, which precedes that of the other nodes of its former colour.
    mutating func separate(_ node: Int) {
        let known = self
        self = Colours(order.indices) { left, right in
            known[left].compared(to: known[right])
                .then((left == node ? 0 : 1).compared(to: right == node ? 0 : 1))
        }
    }
}
