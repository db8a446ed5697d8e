import Cairn

/// The objects of a context as text.
struct GraphText {
    /// If a line would be longer than this, each member is written on a separate line.
    private static let lineLength = 100

    private let nodes: [GraphNode]
    /// The indexes of the nodes, in the order of the text.
    private let order: [Int]
    /// The names of the nodes, such as `Author#1`.
    private let names: [String]

    /// Reads all objects of the context and its stores.
    ///
    /// - Parameter properties: the names of the properties that are omitted.
    /// - Throws: `.store`, `.unknownStore`, `.wrongThread`.
    init(
        _ context: ManagedObjectContext, omitting properties: Set<String>
    ) throws(GraphError) {
        nodes = try GraphReader(context, omitting: properties).nodes()
        order = GraphOrder(nodes).sorted()
        var names = nodes.map(\.entity.name)
        var counts: [String: Int] = [:]
        for index in order {
            let entity = names[index]
            counts[entity, default: 0] += 1
            names[index] = "\(entity)#\(counts[entity, default: 0])"
        }
        self.names = names
    }

    /// Returns the text of the objects that meet a condition.
    func text(where isIncluded: (ManagedObject) -> Bool) -> String {
        order.filter { isIncluded(nodes[$0].object) }.flatMap(lines).joined(separator: "\n")
    }

    private func lines(of index: Int) -> [String] {
        let node = nodes[index]
        return [names[index]]
            + node.values.filter { !$0.value.isNull }.map { "  \($0.name): \($0.value.graphText)" }
            + node.links.filter { !$0.targets.isEmpty }.flatMap(lines)
    }

    private func lines(of link: GraphNode.Link) -> [String] {
        let members = link.isOrdered || !link.isToMany ? link.targets : sorted(link.targets)
        let texts = members.map(name)
        guard link.isToMany else { return ["  \(link.name): \(texts[0])"] }
        let (opening, closing) = link.isOrdered ? ("[", "]") : ("{", "}")
        let line = "  \(link.name): \(opening)\(texts.joined(separator: ", "))\(closing)"
        if line.count <= Self.lineLength { return [line] }
        return ["  \(link.name): \(opening)"] + texts.map { "    \($0)" } + ["  \(closing)"]
    }

    private func sorted(_ targets: [GraphNode.Target]) -> [GraphNode.Target] {
        let members = Set(targets)
        return order.map(GraphNode.Target.node).filter(members.contains)
            + targets.filter { if case .missing = $0 { true } else { false } }
            .sorted { name($0) < name($1) }
    }

    private func name(_ target: GraphNode.Target) -> String {
        switch target {
        case .node(let index): names[index]
        case .missing(let entity): "\(entity)#?"
        }
    }
}
