import CairnModel
import CairnStack

extension EntityDescription {
    /// Returns the entity with a name in the model of a context.
    ///
    /// Returns `nil` if the model has no such entity, or if the context is not connected yet. The result
    /// is an ``CairnModel/Entity``: a part of a compiled model, which cannot be changed like a
    /// description.
    public static func entity(
        forEntityName name: String, in context: ManagedObjectContext
    ) -> Entity? {
        context.managedObjectModel.entity(named: name)
    }

    /// Inserts a new object of an entity. The same as
    /// ``ManagedObjectContext/insertNewObject(forEntityName:)``.
    ///
    /// - Throws: The same errors as that method.
    @discardableResult
    public static func insertNewObject(
        forEntityName name: String, into context: ManagedObjectContext
    ) throws(GraphError) -> ManagedObject {
        try context.insertNewObject(forEntityName: name)
    }
}
