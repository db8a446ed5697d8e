import Cairn

/// One call of a ``FixtureBuilder``, which completes an object and creates the objects that it requires.
struct FixtureCompletion {
    /// An object that is being completed, and the relationship for which the object of the next step was
    /// created.
    private struct Step {
        let object: ManagedObject
        let relationship: Relationship
    }

    private let context: ManagedObjectContext
    /// The objects that the call inserted.
    private(set) var inserted: [ManagedObject]
    /// The steps from the requested object to the one that is being completed.
    private var path: [Step] = []

    init(_ context: ManagedObjectContext, inserted object: ManagedObject) {
        self.context = context
        inserted = [object]
    }

    /// Sets the values and destinations that an object requires.
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

    /// Returns whether a save would refuse the object because the relationship has too few destinations.
    private static func lacksDestination(
        _ object: ManagedObject, _ relationship: Relationship
    ) throws(GraphError) -> Bool {
        let count = try object.objectIDs(forRelationshipNamed: relationship.name).count
        let fewest =
            relationship.isToMany
            ? relationship.description.minimumCount : relationship.isOptional ? 0 : 1
        // An optional relationship may be empty, whatever its bounds.
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
                reason: "\(relationship.destination.name) is abstract and has no subentities")
        }
        let destination = try context.insertNewObject(forEntityName: entity.name)
        inserted.append(destination)
        // Link before completing, so that the destination's inverse is already set when it is completed.
        try Self.link(object, relationship, to: destination)
        path.append(Step(object: object, relationship: relationship))
        defer { path.removeLast() }
        try complete(destination, completingAttributesWith: completeAttributes)
    }

    /// Closes a circle of required relationships with an object that is being created. Otherwise, creating
    /// objects would never end.
    private func closeCircle(_ relationship: Relationship, of object: ManagedObject) throws {
        for candidate in path.map(\.object)
        where try Self.canLink(object, relationship, to: candidate) {
            return try Self.link(object, relationship, to: candidate)
        }
        let names = path.map { "\($0.object.entity.name).\($0.relationship.name)" }
        throw FixtureError(
            entity: object.entity.name, property: relationship.name,
            reason: "the required relationships form a cycle that cannot be closed: "
                + (names + ["\(object.entity.name).\(relationship.name)"]).joined(separator: " → "))
    }

    /// Returns whether a relationship can lead to an object without removing the object from another
    /// relationship.
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
