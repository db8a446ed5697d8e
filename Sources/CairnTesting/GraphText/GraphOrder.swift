import Cairn

/// Sorts the objects of a graph in an order that depends only on their content.
///
/// The algorithm is colour refinement. At first, objects with equal attributes have the same colour. Then
/// each colour is divided according to the colours of the objects to which its objects' relationships lead,
/// and of the objects whose relationships lead to them. This is repeated until no colour can be divided any
/// more. A colour is the position of its objects in the order.
struct GraphOrder {
    /// A relationship that leads to a node.
    private struct Arrival {
        let relationship: Int
        let source: Int
        /// The position among the members of an ordered relationship. 0 for any other relationship.
        let position: Int
    }

    private let nodes: [GraphNode]
    /// The relationships that lead to each node. They are needed because a node's own relationships contain
    /// neither its position in an ordered relationship nor relationships without an inverse.
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

    /// Returns the indexes of the nodes, in order.
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

    /// Divides colours until they are stable.
    private func refine(_ colours: inout Colours) {
        var count = 0
        while count < colours.count, colours.count < nodes.count {
            count = colours.count
            let known = colours
            let keys = nodes.indices.map { key(of: nodes[$0], $0, known) }
            colours = Colours(nodes.indices) { keys[$0].compared(to: keys[$1]) }
        }
    }

    /// The colours of a node, of the destinations of each of its relationships, and of the nodes whose
    /// relationships lead to it.
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
    /// The nodes. Nodes of the same colour are next to each other.
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

    /// The nodes of the first colour that more than one node has. `nil` if each node has a different colour.
    var firstClassOfSeveral: [Int]? {
        if count == order.count { return nil }
        let pairs = zip(order, order.dropFirst())
        guard let (first, _) = pairs.first(where: { colours[$0] == colours[$1] }) else {
            return nil
        }
        return order.filter { colours[$0] == colours[first] }
    }

    /// Assigns a new colour to a node. The new colour comes before the colour that the node had.
    mutating func separate(_ node: Int) {
        let known = self
        self = Colours(order.indices) { left, right in
            known[left].compared(to: known[right])
                .then((left == node ? 0 : 1).compared(to: right == node ? 0 : 1))
        }
    }
}
