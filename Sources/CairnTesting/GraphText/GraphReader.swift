import Cairn

/// A reader of the objects of a context and its stores.
struct GraphReader {
    private let context: ManagedObjectContext
    private let omitted: Set<String>

    init(_ context: ManagedObjectContext, omitting omitted: Set<String>) {
        (self.context, self.omitted) = (context, omitted)
    }

    /// Returns all objects, in no particular order.
    func nodes() throws(GraphError) -> [GraphNode] {
        var nodes: [GraphNode] = []
        for root in context.managedObjectModel.entities where root.superentity == nil {
            nodes += try objects(of: root).map { GraphNode(object: $0, entity: $0.entity) }
        }
        var indexes: [ObjectID: Int] = [:]
        for (index, node) in nodes.enumerated() { indexes[node.object.objectID] = index }
        for index in nodes.indices {
            nodes[index].values = try values(of: nodes[index].object)
            nodes[index].links = try links(of: nodes[index].object, indexes)
        }
        return nodes
    }

    private func objects(of root: Entity) throws(GraphError) -> [ManagedObject] {
        do {
            return try context.fetch(FetchRequest<ManagedObject>(root.name))
        } catch .noStore {
            // No store contains the entity, but the context may contain new objects of it.
            context.processPendingChanges()
            return context.insertedObjects.filter { $0.entity.isKind(of: root) && !$0.isDeleted }
        } catch {
            throw error
        }
    }

    private func values(
        of object: ManagedObject
    ) throws(GraphError) -> [(name: String, value: Value)] {
        var values: [(name: String, value: Value)] = []
        for attribute in object.entity.attributes
        where !attribute.isTransient && counts(attribute.name, attribute.entity, object) {
            values.append((attribute.name, try object[attribute.name]))
        }
        return values
    }

    private func links(
        of object: ManagedObject, _ indexes: [ObjectID: Int]
    ) throws(GraphError) -> [GraphNode.Link] {
        var links: [GraphNode.Link] = []
        for relationship in object.entity.relationships
        where !relationship.isTransient && counts(relationship.name, relationship.entity, object) {
            let ids = try object.objectIDs(forRelationshipNamed: relationship.name)
            let targets = ids.map { id -> GraphNode.Target in
                if let index = indexes[id] { return .node(index) }
                let entity = context.managedObjectModel.entity(numbered: id.entity)
                return .missing(entity?.name ?? relationship.destination.name)
            }
            links.append(
                GraphNode.Link(
                    name: relationship.name, isToMany: relationship.isToMany,
                    isOrdered: relationship.isOrdered, targets: targets))
        }
        return links
    }

    /// Returns whether a property is included.
    ///
    /// - Parameter declaring: The entity that declares the property.
    private func counts(_ name: String, _ declaring: Entity, _ object: ManagedObject) -> Bool {
        if omitted.isEmpty { return true }
        return !omitted.contains(name) && !omitted.contains("\(declaring.name).\(name)")
            && !omitted.contains("\(object.entity.name).\(name)")
    }
}
