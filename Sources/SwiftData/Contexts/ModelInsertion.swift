internal import CairnModel
internal import CairnObjects
internal import CairnStack

/// Moves a graph of new models into a context.
struct ModelInsertion {
    private struct Found {
        let model: any PersistentModel
        let backing: BackingData
        let home: ModelHome
    }

    private struct Inserted {
        let object: BackingData
        let values: NewModelValues
        let home: ModelHome
        let hasRelationships: Bool
    }

    private let context: ModelContext

    init(_ context: ModelContext) { self.context = context }

    /// Inserts a model and all new models that relationships lead to from it. The time depends only on the new models.
    ///
    /// A value that cannot be stored is reported, and the others are inserted.
    ///
    /// - Throws: `.unknownEntity` for a class that the schema does not contain; `.wrongContext` for a model of another
    ///   context; `.objectGone` for a model that was deleted. Nothing was inserted then.
    func insert(_ model: any PersistentModel) throws {
        let backing = model.persistentBackingData
        guard try isNew(backing) else { return }
        if try leadsToNewModels(backing) {
            let inserted = try newModels(reachedFrom: model).map(insertOne)
            // Either end may have been set. Members come first, because setting one end also sets the other.
            for new in inserted where new.hasRelationships { setMembers(of: new) }
            for new in inserted where new.hasRelationships { setDestinations(of: new) }
        } else {
            let new = try insertOne(found(model, backing))
            if new.hasRelationships {
                setMembers(of: new)
                setDestinations(of: new)
            }
        }
        context.noteChange()
    }

    /// Makes the values of a new model an object of the context, and sets its attributes.
    private func insertOne(_ found: Found) throws -> Inserted {
        let object = found.backing
        try context.objects.insert(object, as: found.home.kind)
        object.attach(of: found.model, found.home)
        let values = object.takeNewValues()
        return Inserted(
            object: object, values: values, home: found.home,
            hasRelationships: setAttributes(of: object, values.all, found))
    }

    /// Sets the attributes of a new object. Returns whether there are relationships to set.
    private func setAttributes(
        of object: BackingData, _ values: [NewModelValue], _ found: Found
    ) -> Bool {
        var hasRelationships = false
        // By index, because copying a value would count its references.
        for index in values.indices {
            switch values[index].content {
            case .plain(let stored):
                guard let mark = found.home.property(values[index].name, at: index)?.mark else {
                    continue
                }
                object.setMarkedValue(stored, at: mark)
            case .other(let content):
                if let property = found.home.property(values[index].name, at: index) {
                    set(property, of: object, to: content)
                }
            case .model, .knownModel, .models: hasRelationships = true
            case .nothing, .noModels: continue
            }
        }
        for property in found.home.entity.constants {
            if let content = property.constant?(found.model) {
                set(property, of: object, to: content)
            }
        }
        return hasRelationships
    }

    private func set(_ property: ModelProperty, of object: BackingData, to content: Any) {
        guard case .attribute(let form) = property.kind else { return }
        do {
            try object.setValue(try form.stored(content), forKey: property.name)
        } catch {
            context.report(error)
        }
    }

    private func setMembers(of new: Inserted) {
        let values = new.values.all
        for index in values.indices {
            guard case .models(let list) = values[index].content,
                let mark = new.home.property(values[index].name, at: index)?.mark
            else { continue }
            Members<BackingData>._generalValue(of: new.object, at: mark)
                .formUnion(list.all.compactMap(\.persistentBackingData.object))
        }
    }

    private func setDestinations(of new: Inserted) {
        let values = new.values.all
        for index in values.indices {
            guard let model = values[index].content.destination,
                let mark = new.home.property(values[index].name, at: index)?.mark
            else { continue }
            BackingData._setOptional(
                model.persistentBackingData.object, of: new.object, at: mark)
        }
    }

    // MARK: Finding new models

    /// Returns whether a model has no context yet.
    ///
    /// - Throws: `.wrongContext` for a model of another context; `.objectGone` for a model that was deleted.
    private func isNew(_ backing: BackingData) throws -> Bool {
        guard let object = backing.object else { return true }
        let owner = object.managedObjectContext
        if owner == nil || object.isDeleted {
            throw GraphError.objectGone(object.objectID, .deletedHere)
        }
        if owner !== context.objects {
            throw GraphError.wrongContext(
                object.objectID, detail: "the model belongs to another ModelContext")
        }
        return false
    }

    private func leadsToNewModels(_ backing: BackingData) throws -> Bool {
        let values = backing.newValues.all
        for index in values.indices {
            if let model = values[index].content.destination,
                try isNew(model.persistentBackingData)
            {
                return true
            }
            if case .models(let list) = values[index].content {
                for model in list.all where try isNew(model.persistentBackingData) { return true }
            }
        }
        return false
    }

    private func found(_ model: any PersistentModel, _ backing: BackingData) throws -> Found {
        Found(model: model, backing: backing, home: try context.home(of: type(of: model)))
    }

    /// Returns a new model and the new models that relationships lead to from it.
    private func newModels(reachedFrom first: any PersistentModel) throws -> [Found] {
        var found: [Found] = []
        defer { for new in found { new.backing.isBeingInserted = false } }
        func add(_ model: any PersistentModel) throws {
            let backing = model.persistentBackingData
            guard !backing.isBeingInserted, try isNew(backing) else { return }
            found.append(try self.found(model, backing))
            backing.isBeingInserted = true
        }
        try add(first)
        var index = 0
        while index < found.count {
            for value in found[index].backing.newValues.all {
                switch value.content {
                case .models(let list): for model in list.all { try add(model) }
                default: if let model = value.content.destination { try add(model) }
                }
            }
            index += 1
        }
        return found
    }
}
