import CairnModel
import Synchronization

/// The Swift classes of a model's entities.
///
/// Classes must be registered; they are never looked up by a name from a file. If no class was
/// registered for an entity, its objects have the class with which the entity is first requested, or
/// else ``ManagedObject``.
public struct ObjectClasses: Sendable {
    private var byName: [String: ManagedObject.Type] = [:]
    /// The marks, by entity, of classes whose instances stand for objects.
    package var marks: [String: ClassMarks] = [:]
    private var known = KnownFits()

    /// Creates a registry without classes.
    public init() {}

    /// Registers classes under their own names, which correspond to `managedObjectClassName` in models.
    public init(_ classes: [ManagedObject.Type]) {
        for objectClass in classes { register(objectClass) }
    }

    /// Registers classes under the names of their entities.
    public init(byEntity classes: [String: ManagedObject.Type]) { byName = classes }

    /// Registers a class under its own name, or under the name that the model uses.
    public mutating func register(_ objectClass: ManagedObject.Type, as name: String? = nil) {
        byName[name ?? String(describing: objectClass)] = objectClass
        known = KnownFits()
    }

    /// Returns the class of an entity's objects, or `nil` if no class was registered.
    ///
    /// Looks for the class name in the model (with and without a module name), then for the entity's own
    /// name, and then does the same for its superentity.
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

    /// Whether the registered class of an entity fits the entity, and every class that it expects for a
    /// destination is registered.
    func fit(_ entity: Entity) -> Bool {
        if known.contain(entity) { return true }
        guard let objectClass = objectClass(of: entity) else { return false }
        let fit = ClassFit(objectClass, entity, self)
        guard fit.misfits.isEmpty, fit.destinations.isEmpty else { return false }
        known.insert(entity)
        return true
    }

    private func declaredClass(of entity: Entity) -> ManagedObject.Type? {
        if let name = entity.description.managedObjectClassName {
            if let found = byName[name] { return found }
            let short = name.split(separator: ".").last.map(String.init) ?? name
            if let found = byName[short] { return found }
        }
        return byName[entity.name]
    }
}

/// The classes from which models were created. They give new objects their initial values, even in a context
/// that creates the objects without their class.
package struct ModelClasses: Sendable {
    private weak let model: ManagedObjectModel?
    private let classes: ObjectClasses

    private static let known = Mutex<[ModelClasses]>([])

    package static func note(_ classes: [ManagedObject.Type], of model: ManagedObjectModel) {
        let new = ModelClasses(model: model, classes: ObjectClasses(classes))
        known.withLock { known in
            known.removeAll { $0.model == nil }
            known.append(new)
        }
    }

    static func objectClass(of entity: Entity) -> ManagedObject.Type? {
        known.withLock { known in
            known.first { $0.model === entity.model }?.classes.objectClass(of: entity)
        }
    }
}

/// The entities of the last model whose registered classes were found to fit. Copies of a registry share it,
/// so that only the first context of a program compares them. It keeps the model alive: because of a weak
/// reference, each copy of one of the model's entities would count references twice as slowly.
private final class KnownFits: Sendable {
    private struct State {
        var model: ManagedObjectModel?
        var entities: Set<EntityNumber> = []
    }

    private let state = Mutex(State())

    func contain(_ entity: Entity) -> Bool {
        state.withLock { $0.model === entity.model && $0.entities.contains(entity.number) }
    }

    func insert(_ entity: Entity) {
        state.withLock { state in
            if state.model !== entity.model { state = State(model: entity.model) }
            state.entities.insert(entity.number)
        }
    }
}
