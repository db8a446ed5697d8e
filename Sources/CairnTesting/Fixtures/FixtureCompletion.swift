import Cairn

/// One call of a ``FixtureBuilder``, which completes an object and creates the objects that it requires.
struct FixtureCompletion {
    /// An object that is being completed, and the relationship for which the next object was created.
    private struct Step {
        let object: ManagedObject
        let relationship: Relationship
    }

    private let context: ManagedObjectContext
    /// The objects that the call inserted.
    private(set) var inserted: [ManagedObject]
    /// The objects from the requested object to the one that is currently being completed.
    private var path: [Step] = []

    init(_ context: ManagedObjectContext, inserted object: ManagedObject) {
        self.context = context
        inserted = [object]
    }

    /// Sets the values and destinations that an object requires.
    ///
    /// - Throws: ``FixtureError``; `GraphError`.
    mutating func complete(
        _ object: ManagedObject,
        completingAttributesWith completeAttributes: (ManagedObject) throws -> Void
    ) throws {
        try completeAttributes(object)
        for relationship in object.entity.relationships {
            while try Self.lacksDestination(object, relationship) {
                try addDestination(to: relationship, of: object, completeAttributes)
            }
        }
    }

    /// Whether a save would refuse the object because the relationship has too few destinations.
    private static func lacksDestination(
        _ object: ManagedObject, _ relationship: Relationship
    ) throws(GraphError) -> Bool {
        let count = try object.objectIDs(forRelationshipNamed: relationship.name).count
        let fewest = max(
            relationship.isToMany ? relationship.description.minimumCount : 0,
            relationship.isOptional ? 0 : 1)
        // An optional relationship may be empty, whatever its bounds are.
        return count < fewest && (count > 0 || !relationship.isOptional)
    }

    private mutating func addDestination(
        to relationship: Relationship, of object: ManagedObject,
        _ completeAttributes: (ManagedObject) throws -> Void
    ) throws {
        if path.contains(where: { $0.relationship == relationship }) {
            return try closeCircle(relationship, of: object)
        }
        guard let entity = relationship.destination.hierarchy.first(where: { !$0.isAbstract })
        else {
            throw FixtureError(
                entity: object.entity.name, property: relationship.name,
                reason: "\(relationship.destination.name) is abstract and has no subentity")
        }
        let destination = try context.insertNewObject(forEntityName: entity.name)
        inserted.append(destination)
        // Set the destination first, so that its inverse is set when the destination is completed.
        try Self.link(object, relationship, to: destination)
        path.append(Step(object: object, relationship: relationship))
        defer { path.removeLast() }
        try complete(destination, completingAttributesWith: completeAttributes)
    }

    /// Sets a relationship to an object that is already being created, so that a cycle does not create
    /// objects without end.
    private func closeCircle(_ relationship: Relationship, of object: ManagedObject) throws {
        for candidate in path.map(\.object)
        where try Self.canLink(object, relationship, to: candidate) {
            return try Self.link(object, relationship, to: candidate)
        }
        let names = path.map { "\($0.object.entity.name).\($0.relationship.name)" }
        throw FixtureError(
            entity: object.entity.name, property: relationship.name,
            reason: "the required relationships lead in a circle that cannot be closed: "
                + (names + ["\(object.entity.name).\(relationship.name)"]).joined(separator: " → "))
    }

    /// Whether a relationship can be set to an object without removing the object from another relationship.
    private static func canLink(
        _ object: ManagedObject, _ relationship: Relationship, to candidate: ManagedObject
    ) throws(GraphError) -> Bool {
        guard candidate !== object, candidate.entity.isKind(of: relationship.destination),
            try !object.objectIDs(forRelationshipNamed: relationship.name)
                .contains(candidate.objectID)
        else { return false }
        guard let inverse = relationship.inverse else { return true }
        let count = try candidate.objectIDs(forRelationshipNamed: inverse.name).count
        let most = inverse.isToMany ? inverse.description.maximumCount : 1
        return most == 0 || count < most
    }

    private static func link(
        _ object: ManagedObject, _ relationship: Relationship, to destination: ManagedObject
    ) throws(GraphError) {
        let name = relationship.name
        if !relationship.isToMany {
            try object.setValue(destination, forKey: name)
        } else if relationship.isOrdered {
            try object.mutableOrderedSetValue(forKey: name).add(destination)
        } else {
            try object.mutableSetValue(forKey: name).add(destination)
        }
    }
}
