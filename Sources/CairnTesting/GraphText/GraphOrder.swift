import Cairn
import Foundation

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

/// The result of comparing two values.
enum Ordering {
    case before, same, after

    /// Returns this ordering, or the next one if this one is `.same`.
    func then(_ next: @autoclosure () -> Ordering) -> Ordering { self == .same ? next() : self }
}

extension Int {
    func compared(to other: Int) -> Ordering {
        self < other ? .before : self > other ? .after : .same
    }
}

extension String {
    /// Compares by Unicode scalars.
    func compared(to other: String) -> Ordering { Array(utf8).compared(to: Array(other.utf8)) }
}

extension [UInt8] {
    func compared(to other: [UInt8]) -> Ordering {
        if lexicographicallyPrecedes(other) { return .before }
        return other.lexicographicallyPrecedes(self) ? .after : .same
    }
}

extension [Int] {
    func compared(to other: [Int]) -> Ordering {
        if lexicographicallyPrecedes(other) { return .before }
        return other.lexicographicallyPrecedes(self) ? .after : .same
    }
}

extension Value {
    /// Whether the value is a string. Strings are compared first, because people recognize objects by them.
    var isText: Bool { if case .string = self { true } else { false } }

    /// Compares two values in a total order: `nil` first, then by kind, then by value. Returns `.same` only
    /// if the values are equal.
    func compared(to other: Value) -> Ordering {
        switch (self, other) {
        case (.boolean(let a), .boolean(let b)): (a ? 1 : 0).compared(to: b ? 1 : 0)
        case (.integer(let a), .integer(let b)): Int(a).compared(to: Int(b))
        case (.double(let a), .double(let b)): a.totallyCompared(to: b)
        case (.float(let a), .float(let b)): a.totallyCompared(to: b)
        case (.decimal(let a), .decimal(let b)): a < b ? .before : b < a ? .after : .same
        case (.date(let a), .date(let b)):
            a.timeIntervalSinceReferenceDate.totallyCompared(to: b.timeIntervalSinceReferenceDate)
        case (.string(let a), .string(let b)): a.compared(to: b)
        case (.uuid(let a), .uuid(let b)): a.uuidString.compared(to: b.uuidString)
        case (.uri(let a), .uri(let b)): a.absoluteString.compared(to: b.absoluteString)
        case (.binary(let a), .binary(let b)), (.transformable(let a), .transformable(let b)):
            Array(a).compared(to: Array(b))
        case (.composite(let a), .composite(let b)): Self.compare(a, b)
        default: kindNumber.compared(to: other.kindNumber)
        }
    }

    private static func compare(_ left: [String: Value], _ right: [String: Value]) -> Ordering {
        let names = Set(left.keys).union(right.keys).sorted { $0.compared(to: $1) == .before }
        return names.map { left[$0] ?? .null }.compared(to: names.map { right[$0] ?? .null })
    }

    private var kindNumber: Int {
        switch self {
        case .null: 0
        case .boolean: 1
        case .integer: 2
        case .double: 3
        case .float: 4
        case .decimal: 5
        case .string: 6
        case .date: 7
        case .binary: 8
        case .uuid: 9
        case .uri: 10
        case .transformable: 11
        case .composite: 12
        case .objectID: 13
        }
    }
}

extension [Value] {
    /// Compares the elements in order. An array that is a prefix of another array precedes it.
    func compared(to other: [Value]) -> Ordering {
        for (left, right) in zip(self, other) {
            let ordering = left.compared(to: right)
            if ordering != .same { return ordering }
        }
        return count.compared(to: other.count)
    }
}

extension BinaryFloatingPoint {
    /// Compares in IEEE 754's total order, in which −0 precedes 0 and NaN comes last.
    fileprivate func totallyCompared(to other: Self) -> Ordering {
        let isBefore = isTotallyOrdered(belowOrEqualTo: other)
        let isAfter = other.isTotallyOrdered(belowOrEqualTo: self)
        return isBefore == isAfter ? .same : isBefore ? .before : .after
    }
}
