import CairnModel

/// The entities whose objects a store accepts: those of its configuration, each with its whole
/// inheritance hierarchy.
public struct HeldEntities: Sendable {
    private enum Holding {
        case nothing, abstract
        case objects(root: EntityNumber)
    }

    private let location: StoreLocation
    private let model: ManagedObjectModel
    /// Indexed by entity number minus 1.
    private let holdings: [Holding]

    /// Resolves the request's configuration.
    ///
    /// - Throws: `.unsupported` for a configuration that the model does not have.
    public init(_ request: OpenRequest) throws(StoreError) {
        let entities = try CompatibilityCheck.entities(of: request)
        let roots = Set(entities.map(\.rootEntity.number))
        location = request.location
        model = request.model
        holdings = model.entities.map { entity in
            let root = entity.rootEntity.number
            guard roots.contains(root) else { return .nothing }
            return entity.isAbstract ? .abstract : .objects(root: root)
        }
    }

    /// Checks that the store accepts objects of the entity or of its subentities.
    ///
    /// - Throws: `.unsupported` if the entity belongs to another configuration or model.
    public func require(_ entity: EntityNumber) throws(StoreError) {
        if case .nothing = holding(entity) { throw notHeld(entity) }
    }

    /// Checks that the store accepts rows of the entity.
    ///
    /// - Parameters:
    ///   - entity: the concrete entity of the row.
    ///   - root: the root entity that the row names.
    /// - Throws: `.unsupported` if the entity is abstract, or belongs to another configuration or
    ///   model.
    public func requireRows(
        of entity: EntityNumber, below root: EntityNumber
    ) throws(StoreError) {
        switch holding(entity) {
        case .objects(root): return
        case .abstract:
            throw .unsupported(
                location, feature: "no objects of \(name(entity))",
                advice: "The entity is abstract. Save objects of its subentities.")
        case .nothing, .objects: throw notHeld(entity)
        }
    }

    private func holding(_ entity: EntityNumber) -> Holding {
        let index = Int(entity.rawValue) - 1
        return holdings.indices.contains(index) ? holdings[index] : .nothing
    }

    private func notHeld(_ entity: EntityNumber) -> StoreError {
        .unsupported(
            location, feature: "no entity \(name(entity))",
            advice: Self.advice(isListed: true))
    }

    /// Returns advice on where to save objects of an entity that a store does not hold.
    ///
    /// - Parameter isListed: whether the entity is in the model that the store was created with.
    package static func advice(isListed: Bool) -> String {
        isListed
            ? "Save its objects in a store whose configuration includes the entity."
            : "The store was created with a model that did not have the entity. Save its objects in"
                + " another store, or copy this store to a new one with the model that has the entity."
    }

    private func name(_ entity: EntityNumber) -> String {
        model.entity(numbered: entity)?.name ?? "number \(entity.rawValue)"
    }
}
