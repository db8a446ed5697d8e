import CairnModel

/// The row layouts of a model's entities.
public final class RowLayouts: Sendable {
    /// The model of the entities. Entity numbers of another model have no meaning here.
    public let model: ManagedObjectModel
    /// The layouts, indexed by entity number minus 1.
    @usableFromInline let layouts: [RowLayout]
    /// The parts of the layouts that checking a row needs.
    let checks: RowChecks

    /// Creates the layouts of all entities. The cost is proportional to the number of their
    /// properties, so create the layouts once for each model and pass them on.
    public init(_ model: ManagedObjectModel) {
        self.model = model
        layouts = model.entities.map(RowLayout.init)
        checks = RowChecks(layouts)
    }

    /// Returns the layout of the entity's rows, or `nil` if the model has no entity with that
    /// number.
    @inlinable public func layout(of entity: EntityNumber) -> RowLayout? {
        let index = Int(entity.rawValue) - 1
        return layouts.indices.contains(index) ? layouts[index] : nil
    }

    /// Returns the layout of the entity's rows.
    ///
    /// - Precondition: the entity belongs to this model.
    @inlinable public func layout(of entity: Entity) -> RowLayout {
        layouts[Int(entity.number.rawValue) - 1]
    }
}
