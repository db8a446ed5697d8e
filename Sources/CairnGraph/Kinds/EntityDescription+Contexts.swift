import CairnModel

extension EntityDescription {
    /// Returns the entity of a name in the model of a context.
    ///
    /// Returns `nil` if the model has no such entity, or if the context is not connected yet. The result
    /// is an ``CairnModel/Entity``: part of a compiled model, and not a description that can be changed.
    public static func entity(
        forEntityName name: String, in context: ManagedObjectContext
    ) -> Entity? {
        context.managedObjectModel.entity(named: name)
    }

    /// Inserts a new object of the entity. The same as
    /// ``ManagedObjectContext/insertNewObject(forEntityName:)``.
    ///
    /// - Throws: as there.
    @discardableResult
    public static func insertNewObject(
        forEntityName name: String, into context: ManagedObjectContext
    ) throws(GraphError) -> ManagedObject {
        try context.insertNewObject(forEntityName: name)
    }
}
