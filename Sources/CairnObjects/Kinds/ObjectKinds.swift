import CairnModel
import CairnRows
import CairnStack

/// The kinds of a context's objects. Each kind is created when it is first needed.
package final class ObjectKinds {
    private var layouts: RowLayouts
    /// The error to throw when a kind is requested by name or class. `nil` if the context is connected.
    private var refusal: GraphError?
    private var classes: ObjectClasses
    /// The kinds by entity number. The entity with number 1 is at index 0.
    private var kinds: [ObjectKind?]
    /// The kind that was last requested. Consecutive rows and objects usually are of one kind.
    private var lastAsked: ObjectKind?
    private var variants: [Variant: ObjectKind] = [:]
    private let ownerLock: OwnerLock
    /// The context, whose `deinit` resets this property.
    var context: Uncounted<ManagedObjectContext>? {
        didSet { forEachKind { $0.context = context } }
    }
    /// Shared by all kinds. See ``ManagedObjectContext/faultFailureHandler``.
    let failures = FaultFailures()
    /// Is notified of reads and changes of the objects. `nil` if the objects are not observed.
    var observation: ObservedObjects? {
        didSet { forEachKind { $0.observation = observation } }
    }
    /// The kinds that were found by class.
    private var kindsByClass: [ObjectIdentifier: ObjectKind] = [:]
    /// The kind that was last found by class. Code that creates many objects usually creates many of one
    /// class.
    private var lastFound: (objectClass: ManagedObject.Type, kind: ObjectKind)?

    private struct Variant: Hashable {
        let entity: EntityNumber
        let objectClass: ObjectIdentifier
    }

    /// - Parameters:
    ///   - source: The context's source.
    ///   - ownerLock: The context's lock.
    init(source: any ObjectSource, classes: ObjectClasses, ownerLock: OwnerLock) {
        layouts = source.layouts
        refusal = source.refusal
        failures.monitor = source.coordinator?.monitor
        self.ownerLock = ownerLock
        self.classes = classes
        kinds = Array(repeating: nil, count: layouts.model.entities.count)
    }

    var model: ManagedObjectModel { layouts.model }

    /// Uses the model of another source. If the model is the same, objects keep their kinds.
    func connect(to source: any ObjectSource, classes: ObjectClasses) {
        refusal = source.refusal
        failures.monitor = source.coordinator?.monitor
        (lastFound, kindsByClass) = (nil, [:])
        guard layouts !== source.layouts else { return }
        layouts = source.layouts
        self.classes = classes
        kinds = Array(repeating: nil, count: layouts.model.entities.count)
        (lastAsked, variants) = (nil, [:])
    }

    /// Returns the kind of an entity by number, or `nil` if the model has no such entity.
    package func kind(numbered number: EntityNumber) -> ObjectKind? {
        if let lastAsked, lastAsked.number == number { return lastAsked }
        lastAsked = findKind(numbered: number)
        return lastAsked
    }

    private func findKind(numbered number: EntityNumber) -> ObjectKind? {
        let index = Int(number.rawValue) - 1
        guard kinds.indices.contains(index) else { return nil }
        if let kind = kinds[index] { return kind }
        guard let entity = model.entity(numbered: number) else { return nil }
        // A class that does not fit is refused when it is requested.
        let registered = classes.objectClass(of: entity) ?? ManagedObject.self
        let fits =
            classes.fit(entity) || ClassFit(registered, entity, classes).misfits.isEmpty
        let kind = makeKind(of: entity, fits ? registered : ManagedObject.self)
        kinds[index] = kind
        return kind
    }

    private func makeKind(of entity: Entity, _ objectClass: ManagedObject.Type) -> ObjectKind {
        let kind = ObjectKind(
            entity, layout: layouts.layout(of: entity), objectClass: objectClass,
            ownerLock: ownerLock, failures: failures, marks: classes.marks[entity.name])
        kind.context = context
        kind.observation = observation
        return kind
    }

    private func forEachKind(_ body: (ObjectKind) -> Void) {
        for kind in kinds { if let kind { body(kind) } }
        variants.values.forEach(body)
    }

    /// Whether any kind that the context has created satisfies a condition.
    func contains(where predicate: (ObjectKind) -> Bool) -> Bool {
        kinds.contains { $0.map(predicate) ?? false } || variants.values.contains(where: predicate)
    }

    /// Returns the kind of objects that belong to an entity but keep a given class. Such objects were
    /// created as faults of a superentity.
    func kind(of entity: Entity, objectClass: ManagedObject.Type) -> ObjectKind {
        if let kind = kind(numbered: entity.number), kind.objectClass == objectClass { return kind }
        let key = Variant(entity: entity.number, objectClass: ObjectIdentifier(objectClass))
        if let kind = variants[key] { return kind }
        let kind = makeKind(of: entity, objectClass)
        variants[key] = kind
        return kind
    }

    /// - Throws: `.notConnected`, `.connectedTwice`.
    func checkConnection() throws(GraphError) {
        if let refusal { throw refusal }
    }

    /// - Throws: `.unknownEntity`; `.notConnected`, `.connectedTwice`.
    package func kind(named name: String) throws(GraphError) -> ObjectKind {
        try checkConnection()
        guard let entity = model.entity(named: name), let kind = kind(numbered: entity.number)
        else { throw .unknownEntity(name, known: model.entities.map(\.name)) }
        return kind
    }

    /// Returns the entity of a request for objects of a class. Without a name, this is the only entity
    /// of the class. With a name, the class becomes the entity's class if no class was registered for
    /// it.
    ///
    /// - Throws: `.wrongType` if the entity's objects have another class; otherwise, the same errors as
    ///   ``kind(named:)`` and ``kind(of:)``.
    package func entity(
        named name: String?, as objectClass: ManagedObject.Type
    ) throws(GraphError) -> Entity {
        guard let name else { return try kind(of: objectClass).entity }
        try checkConnection()
        guard let entity = model.entity(named: name) else {
            throw .unknownEntity(name, known: model.entities.map(\.name))
        }
        if objectClass == ManagedObject.self { return entity }
        // Every fetch calls this. It creates no kind, because a context that only counts, or only reads values, needs none.
        let known = kinds[Int(entity.number.rawValue) - 1]
        if let known, known.objectClass.isSubclass(of: objectClass) { return entity }
        guard let registered = classes.objectClass(of: entity),
            classes.hasClass(ofItself: entity) || !objectClass.isSubclass(of: registered)
        else {
            return try kind(of: entity, taking: objectClass).entity
        }
        guard registered.isSubclass(of: objectClass) else {
            throw .wrongType(
                entity: name, property: "self", expected: "the class \(registered)",
                found: "the class \(objectClass)")
        }
        if known == nil, classes.hasClass(ofItself: entity), classes.fit(entity) { return entity }
        return try kind(of: entity, taking: registered).entity
    }

    /// Returns the kind whose objects have the class. If no class was registered for the kind's entity,
    /// the class becomes the entity's class.
    ///
    /// - Throws: `.classWithoutEntity`, `.classOfSeveralEntities`, `.classTooLate`; `.notConnected`,
    ///   `.connectedTwice`.
    package func kind(of objectClass: ManagedObject.Type) throws(GraphError) -> ObjectKind {
        if let lastFound, lastFound.objectClass == objectClass { return lastFound.kind }
        let known = kindsByClass[ObjectIdentifier(objectClass)]
        let kind = if let known { known } else { try findKind(of: objectClass) }
        kindsByClass[ObjectIdentifier(objectClass)] = kind
        lastFound = (objectClass, kind)
        return kind
    }

    private func findKind(of objectClass: ManagedObject.Type) throws(GraphError) -> ObjectKind {
        try checkConnection()
        let name = String(describing: objectClass)
        var matches = model.entities.filter { declares($0, name) || $0.name == name }
        if matches.isEmpty {
            matches = model.entities.filter { classes.objectClass(of: $0) == objectClass }
        }
        // Subentities inherit the class of a superentity, so use the topmost entity.
        let tops = matches.filter { match in
            !matches.contains { $0 != match && match.isKind(of: $0) }
        }
        guard let entity = tops.first, tops.count == 1 else {
            throw tops.isEmpty
                ? .classWithoutEntity(name)
                : .classOfSeveralEntities(name, entities: tops.map(\.name))
        }
        return try kind(of: entity, taking: objectClass)
    }

    /// Returns the kind of an entity's objects, whose class is `objectClass` or a subclass of it. If no
    /// class was registered for the entity, and it has no objects yet, the class becomes the entity's
    /// class.
    ///
    /// The classes of the class's relationships become the classes of the destination entities in the
    /// same way.
    ///
    /// - Throws: `.classDoesNotFit`, `.classTooLate`.
    func kind(
        of entity: Entity, taking objectClass: ManagedObject.Type
    ) throws(GraphError) -> ObjectKind {
        // A new context calls this for its first fetch. Creating the kind already performs the necessary
        // checks.
        if classes.hasClass(ofItself: entity), classes.fit(entity),
            let kind = kind(numbered: entity.number), kind.objectClass.isSubclass(of: objectClass)
        {
            return kind
        }
        let fit = ClassFit(objectClass, entity, classes)
        guard fit.misfits.isEmpty else { throw .classDoesNotFit(fit.misfits) }
        let kind = try adopt(objectClass, for: entity)
        for (destination, memberClass) in fit.destinations
        where classes.objectClass(of: destination) == nil {
            _ = try self.kind(of: destination, taking: memberClass)
        }
        return kind
    }

    /// Returns the reason why objects of an entity are not instances of a class.
    func refusal(of objectClass: ManagedObject.Type, for entity: Entity) -> GraphError {
        do {
            _ = try kind(of: entity, taking: objectClass)
        } catch {
            return error
        }
        // The class fits, but the object was created with another one.
        return .classTooLate("\(objectClass)", entity: entity.name)
    }

    private func adopt(
        _ objectClass: ManagedObject.Type, for entity: Entity
    ) throws(GraphError) -> ObjectKind {
        let inherited = classes.objectClass(of: entity) ?? ManagedObject.self
        if !classes.hasClass(ofItself: entity), objectClass.isSubclass(of: inherited),
            kinds[Int(entity.number.rawValue) - 1] == nil
        {
            classes.register(objectClass, as: entity.name)
        }
        guard let kind = kind(numbered: entity.number),
            kind.objectClass.isSubclass(of: objectClass)
        else {
            throw .classTooLate("\(objectClass)", entity: entity.name)
        }
        return kind
    }

    private func declares(_ entity: Entity, _ name: String) -> Bool {
        guard let declared = entity.description.managedObjectClassName else { return false }
        return declared == name || declared.split(separator: ".").last.map(String.init) == name
    }
}
