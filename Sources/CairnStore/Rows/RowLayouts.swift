import CairnModel

/// The row layouts of a model's entities.
public final class RowLayouts: Sendable {
    /// The model whose entities these are; numbers of another model mean nothing here.
    public let model: ManagedObjectModel
    /// By entity number, from 1 at index 0.
    @usableFromInline let layouts: [RowLayout]
    /// The same of what a check needs.
    let checks: RowChecks

    /// Lays out the rows of all entities. Costs time in the number of all their properties, so it
    /// is done once for each model and passed on.
    public init(_ model: ManagedObjectModel) {
        self.model = model
        layouts = model.entities.map(RowLayout.init)
        checks = RowChecks(layouts)
    }

    /// Returns the layout of the entity's rows. Returns `nil` for a number that the model does not have.
    @inlinable public func layout(of entity: EntityNumber) -> RowLayout? {
        let index = Int(entity.rawValue) - 1
        return layouts.indices.contains(index) ? layouts[index] : nil
    }

    /// Returns the layout of the entity's rows.
    ///
    /// - Precondition: the entity is of this model.
    @inlinable public func layout(of entity: Entity) -> RowLayout {
        layouts[Int(entity.number.rawValue) - 1]
    }
}
