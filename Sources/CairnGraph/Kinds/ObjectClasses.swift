import CairnModel

/// The Swift classes of a model's entities.
///
/// Classes are given, never looked up by a name that a file holds. An entity whose class was not
/// given has objects of ``ManagedObject``, or of the class that it is first asked for with.
public struct ObjectClasses: Sendable {
    private var byName: [String: ManagedObject.Type] = [:]

    /// No classes.
    public init() {}

    /// Registers classes under their own names: what models call `managedObjectClassName`.
    public init(_ classes: [ManagedObject.Type]) {
        for objectClass in classes { register(objectClass) }
    }

    /// Registers classes under the names of their entities.
    public init(byEntity classes: [String: ManagedObject.Type]) { byName = classes }

    /// Registers a class under its own name, or under that which the model uses.
    public mutating func register(_ objectClass: ManagedObject.Type, as name: String? = nil) {
        byName[name ?? String(describing: objectClass)] = objectClass
    }

    /// Returns the class of an entity's objects, or `nil` if no class was registered.
    ///
    /// Looks for the class name in the model, without a module name, then for the entity's own name,
    /// and then does the same for its superentity.
    func objectClass(of entity: Entity) -> ManagedObject.Type? {
        var current: Entity? = entity
        while let candidate = current {
            if let found = declaredClass(of: candidate) { return found }
            current = candidate.superentity
        }
        return nil
    }

    /// Whether a class was registered for the entity itself, and not only for a superentity.
    func hasClass(ofItself entity: Entity) -> Bool { declaredClass(of: entity) != nil }

    private func declaredClass(of entity: Entity) -> ManagedObject.Type? {
        if let name = entity.description.managedObjectClassName {
            if let found = byName[name] { return found }
            let short = name.split(separator: ".").last.map(String.init) ?? name
            if let found = byName[short] { return found }
        }
        return byName[entity.name]
    }
}
