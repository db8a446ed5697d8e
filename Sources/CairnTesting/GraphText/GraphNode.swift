import Cairn

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
