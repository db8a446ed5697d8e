internal import CairnModel
internal import CairnObjects
internal import CairnStack

/// Moves a graph of new models into a context.
struct ModelInsertion {
    private let context: ModelContext

    init(_ context: ModelContext) { self.context = context }

    /// Inserts a model and all new models that relationships lead to from it.
    ///
    /// A value that cannot be stored is reported, and the others are inserted.
    ///
    /// - Throws: `.unknownEntity` for a class that the schema does not contain; `.wrongContext` for a model of another
    ///   context; `.objectGone` for a model that was deleted. Nothing was inserted then.
    func insert(_ model: any PersistentModel) throws {
        let found = try newModels(reachedFrom: model)
        var objects: [(object: ModelObject, values: [String: Any], entity: ModelEntity)] = []
        for (model, entity) in found {
            guard
                let object = try context.objects.insertNewObject(forEntityName: entity.name)
                    as? ModelObject
            else { continue }
            let backing = model.persistentBackingData
            backing.attach(to: object, entity, of: model, in: context)
            var values = backing.takeValues()
            for property in entity.constants { values[property.name] = property.constant?(model) }
            objects.append((object, values, entity))
        }
        if !objects.isEmpty { context.noteChange() }
        for (object, values, entity) in objects {
            for (name, value) in values {
                guard case .attribute(let form)? = entity.properties[name]?.kind else { continue }
                reporting { try object.setValue(try form.stored(value), forKey: name) }
            }
        }
        // Either end may have been set. Members come first, because setting one end also sets the other.
        for (object, values, entity) in objects {
            for (name, value) in values {
                guard case .toMany? = entity.properties[name]?.kind, let models = Self.models(value)
                else { continue }
                reporting {
                    let members: ObjectSet<ModelObject> = try object.objects(name)
                    try members.formUnion(models.compactMap(\.persistentBackingData.object))
                }
            }
        }
        for (object, values, entity) in objects {
            for (name, value) in values {
                guard case .toOne? = entity.properties[name]?.kind,
                    let model = Self.models(value)?.first
                else { continue }
                reporting { try object.setValue(model.persistentBackingData.object, forKey: name) }
            }
        }
    }

    private func reporting(_ body: () throws -> Void) {
        do {
            try body()
        } catch {
            context.report(error)
        }
    }

    /// Returns the model and the new models that relationships lead to from it, each with its entity. Returns no model
    /// if the first one is already in the context.
    private func newModels(
        reachedFrom first: any PersistentModel
    ) throws -> [(model: any PersistentModel, entity: ModelEntity)] {
        var found: [(model: any PersistentModel, entity: ModelEntity)] = []
        var seen: Set<ObjectIdentifier> = []
        var waiting = [first]
        while let model = waiting.popLast() {
            guard seen.insert(ObjectIdentifier(model)).inserted else { continue }
            let backing = model.persistentBackingData
            if let object = backing.object {
                if object.managedObjectContext == nil || object.isDeleted {
                    throw GraphError.objectGone(object.objectID, .deletedHere)
                }
                if let owner = object.managedObjectContext, owner !== context.objects {
                    throw GraphError.wrongContext(
                        object.objectID, detail: "the model belongs to another ModelContext")
                }
                continue
            }
            let entity = try context.stack.entity(of: type(of: model))
            found.append((model, entity))
            for name in entity.properties.keys.sorted() where entity.destination(of: name) != nil {
                waiting += backing.values[name].flatMap(Self.models) ?? []
            }
        }
        return found
    }

    /// Returns the models that are the value of a relationship. Returns `nil` if it has none.
    private static func models(_ value: Any) -> [any PersistentModel]? {
        if let models = value as? [any PersistentModel] { return models }
        return (value as? any PersistentModel).map { [$0] }
    }
}
