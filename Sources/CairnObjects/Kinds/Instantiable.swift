import CairnModel
import CairnStack

/// A class whose objects can be created from an entity.
///
/// Only ``ManagedObject`` and its subclasses conform. The initializer belongs to a protocol because it
/// may create an object of a subclass: the class of the entity's objects.
public protocol Instantiable {}

extension ManagedObject: Instantiable {}

extension Instantiable {
    /// Inserts a new object of an entity into a context. The object's initial values are the model's
    /// defaults.
    ///
    /// ```swift
    /// let entity = EntityDescription.entity(forEntityName: "Person", in: context)!
    /// let person = try ManagedObject(entity: entity, insertInto: context)
    /// ```
    ///
    /// The object has the class that the context knows for the entity, even if the initializer of a
    /// superclass is called. If the context knows no class for the entity, the first class that is
    /// requested becomes the entity's class.
    ///
    /// - Throws: `.unknownEntity` if the entity belongs to another model; `.classTooLate` if the
    ///   entity's objects have another class; `.classDoesNotFit`, `.abstractEntity`, `.wrongThread`, `.notConnected`, `.connectedTwice`.
    public init(entity: Entity, insertInto context: ManagedObjectContext) throws(GraphError) {
        let kind = try context.kinds.kind(of: entity, expecting: Self.self)
        let object = try context.insert(kind)
        guard let object = object as? Self else {
            throw .classTooLate("\(Self.self)", entity: entity.name)
        }
        self = object
    }
}

extension Instantiable where Self: ManagedObject {
    /// Returns a request for all objects of the entity that has this class.
    ///
    /// Fetching throws `.classWithoutEntity` if no entity has this class.
    public static func fetchRequest() -> FetchRequest<Self> { FetchRequest() }
}

extension ObjectKinds {
    /// Returns the kind of an entity's objects, whose class is `type` or a subclass of it.
    ///
    /// - Throws: `.unknownEntity`, `.classTooLate`; `.notConnected`,
    ///   `.connectedTwice`.
    func kind(of entity: Entity, expecting type: Any.Type) throws(GraphError) -> ObjectKind {
        try checkConnection()
        guard entity.model === model else {
            throw .unknownEntity(entity.name, known: model.entities.map(\.name))
        }
        // Requesting `ManagedObject` does not make it the entity's class.
        guard let objectClass = type as? ManagedObject.Type, objectClass != ManagedObject.self
        else {
            return try kind(named: entity.name)
        }
        return try kind(of: entity, taking: objectClass)
    }
}
