import Cairn
import CairnModel
import Foundation

/// The text of the objects of a context.
struct GraphText {
    /// The maximum length of a line with several members. If it would be longer, each member gets its own
    /// line.
    private static let lineLength = 100

    private let nodes: [GraphNode]
    /// The indices of the nodes, in the order of the text.
    private let order: [Int]
    /// The names of the nodes, such as `Author#1`.
    private let names: [String]

    /// Reads all objects of the context and its stores.
    ///
    /// - Parameter properties: The names of properties to omit.
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

/// One object of a graph, with the values and relationships that are not omitted.
struct GraphNode {
    /// A destination of a relationship.
    enum Target: Hashable {
        /// The object with this index in the graph.
        case node(Int)
        /// An object of this entity that is not in the graph.
        case missing(String)
    }

    /// A relationship of the object.
    struct Link {
        let name: String
        let isToMany: Bool
        let isOrdered: Bool
        /// The targets. They are in order if the relationship is ordered.
        let targets: [Target]
    }

    let object: ManagedObject
    let entity: Entity
    /// The attributes, in the order of the model.
    var values: [(name: String, value: Value)] = []
    var links: [Link] = []
}

extension ManagedObjectContext {
    /// Returns all objects of the context and its stores as text, including unsaved changes.
    ///
    /// ```swift
    /// #expect(
    ///     try context.graphText() == """
    ///         Author#1
    ///           name: "George Eliot"
    ///           books: {Book#1, Book#2}
    ///         Book#1
    ///           pages: 542
    ///           title: "Adam Bede"
    ///           author: Author#1
    ///         Book#2
    ///           pages: 880
    ///           title: "Middlemarch"
    ///           author: Author#1
    ///         """)
    /// ```
    ///
    /// The text depends only on the contents of the objects, not on their IDs, the order in which they were
    /// inserted, or the engine. Objects are sorted by entity name. Objects of one entity are sorted by the
    /// values of their attributes, with strings first, and then by the destinations of their relationships.
    /// Objects that still cannot be distinguished are sorted by key. In nearly all graphs such objects are
    /// interchangeable, so the text is the same for each order.
    ///
    /// For each object, the text shows the attributes in the order of the model, and then the relationships.
    /// It leaves out `nil` values, empty relationships and transient properties. Dates are in ISO 8601 with
    /// up to six fractional digits. Bytes are shown as their count and a short hash. Members of an ordered
    /// relationship are in `[ ]`, in their order. Other members are in `{ }`, sorted. A relationship to an
    /// object that is no longer in the graph shows `#?` instead of a number. Deleted objects are left out.
    /// The text does not end with a line break.
    ///
    /// This method reads every object of the stores.
    ///
    /// - Parameter properties: The names of properties to omit, for example IDs and times that differ each
    ///   time. They do not affect the order either. `"id"` omits the property of each entity, and
    ///   `"Author.id"` of one entity.
    /// - Throws: `.store`, `.unknownStore`, `.wrongThread`.
    public func graphText(omitting properties: Set<String> = []) throws(GraphError) -> String {
        try GraphText(self, omitting: properties).text { _ in true }
    }

    /// Returns the objects of some entities as text, including objects of subentities.
    ///
    /// Objects have the same names and order as in the text of the whole graph. To find these, this method
    /// reads the whole graph.
    ///
    /// - Parameters:
    ///   - names: The names of the entities.
    ///   - properties: The same as for ``graphText(omitting:)``.
    /// - Throws: `.unknownEntity`; the same errors as ``graphText(omitting:)``.
    public func graphText(
        ofEntities names: String..., omitting properties: Set<String> = []
    ) throws(GraphError) -> String {
        var entities: [Entity] = []
        for name in names {
            guard let entity = managedObjectModel.entity(named: name) else {
                throw .unknownEntity(name, known: managedObjectModel.entities.map(\.name))
            }
            entities.append(entity)
        }
        return try GraphText(self, omitting: properties).text { object in
            entities.contains { object.entity.isKind(of: $0) }
        }
    }

    /// Returns some objects as text. Deleted objects are left out.
    ///
    /// Objects have the same names and order as in the text of the whole graph. To find these, this method
    /// reads the whole graph.
    ///
    /// - Parameters:
    ///   - objects: Objects of this context, in any order. Duplicates are ignored.
    ///   - properties: The same as for ``graphText(omitting:)``.
    /// - Throws: `.wrongContext` for an object of another context; the same errors as
    ///   ``graphText(omitting:)``.
    public func graphText(
        of objects: some Sequence<ManagedObject>, omitting properties: Set<String> = []
    ) throws(GraphError) -> String {
        let chosen = Set(objects)
        for object in chosen where object.managedObjectContext !== self && !object.isDeleted {
            throw .wrongContext(object.objectID, detail: "this context cannot describe it")
        }
        return try GraphText(self, omitting: properties).text(where: chosen.contains)
    }
}

extension Value {
    /// The value as it is written in the text of a graph, on one line.
    var graphText: String {
        switch self {
        case .string(let text): text.debugDescription
        case .date(let date): ISO8601Date.roundedText(date) ?? description
        case .binary(let data), .transformable(let data): data.graphText
        case .composite(let elements):
            "("
                + elements.sorted { $0.key.compared(to: $1.key) == .before }
                .map { "\($0.key): \($0.value.graphText)" }.joined(separator: ", ") + ")"
        default: description
        }
    }
}

extension Data {
    /// The number of bytes and a hash (64-bit FNV-1a, folded to 32 bits).
    fileprivate var graphText: String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in self { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        let digits = String(hash >> 32 ^ hash & 0xffff_ffff, radix: 16)
        let padding = String(repeating: "0", count: 8 - digits.count)
        return "\(count) \(count == 1 ? "byte" : "bytes") (\(padding)\(digits))"
    }
}
