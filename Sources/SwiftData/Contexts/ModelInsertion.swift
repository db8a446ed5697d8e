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
            var found: [Found] = []
            defer { for new in found { new.backing.endInsertion() } }
            try find(model, &found)
            var related: [Found] = []
            for new in found where try insertOne(new) { related.append(new) }
            // Either end may have been set. Members come first, because setting one end also sets the other.
            for new in related { setMembers(of: new) }
            for new in related { setDestinations(of: new) }
        } else {
            let new = try found(model, backing)
            if try insertOne(new) {
                setMembers(of: new)
                setDestinations(of: new)
            }
        }
        context.noteChange()
    }

    /// Makes a new model an object of the context, and sets its attributes. Returns whether there are relationships to set.
    private func insertOne(_ new: Found) throws -> Bool {
        try context.objects.insert(new.backing, as: new.home.kind)
        new.backing.attach(of: new.model, new.home)
        let hasRelationships = setAttributes(of: new)
        if !hasRelationships { new.backing.newValues.removeAll() }
        return hasRelationships
    }

    /// Sets the attributes of a new object. Returns whether there are relationships to set.
    private func setAttributes(of new: Found) -> Bool {
        var hasRelationships = false
        let values = new.backing.newValues.all
        for index in values.indices {
            let mark = new.home.mark(values[index].name, at: index)
            // Moved, because copying a value would count its references.
            if let stored = values[index].content.takePlain() {
                if let mark { new.backing.setMarkedValue(stored, at: mark) }
                continue
            }
            switch values[index].content {
            case .plain: continue
            case .other(let content):
                if let property = new.home.property(values[index].name, at: index) {
                    set(property, of: new.backing, to: content)
                }
            case .model, .knownModel, .models: hasRelationships = true
            case .nothing, .noModels: continue
            }
        }
        // Asked first, because a loop counts references to the list.
        if new.home.entity.constants.isEmpty { return hasRelationships }
        for property in new.home.entity.constants {
            if let content = property.constant?(new.model) {
                set(property, of: new.backing, to: content)
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

    private func setMembers(of new: Found) {
        let values = new.backing.newValues.all
        for index in values.indices {
            guard case .models(let list) = values[index].content,
                let mark = new.home.mark(values[index].name, at: index)
            else { continue }
            Members<BackingData>._generalValue(of: new.backing, at: mark)
                .formUnion(list.all.compactMap(\.persistentBackingData.object))
        }
    }

    /// Sets the to-one relationships of a new object, which needs the values of before the insertion no longer then.
    private func setDestinations(of new: Found) {
        let values = new.backing.newValues.all
        for index in values.indices {
            guard let model = values[index].content.destination,
                let mark = new.home.mark(values[index].name, at: index)
            else { continue }
            BackingData._setOptional(
                model.persistentBackingData.object, of: new.backing, at: mark)
        }
        new.backing.newValues.removeAll()
    }

    // MARK: Finding new models

    /// Returns whether a model has no context yet.
    ///
    /// - Throws: `.wrongContext` for a model of another context; `.objectGone` for a model that was deleted.
    private func isNew(_ backing: BackingData) throws -> Bool {
        guard let object = backing.object else { return true }
        guard let owner = object.uncountedContext, !object.isDeleted else {
            throw GraphError.objectGone(object.objectID, .deletedHere)
        }
        if !owner.withObject({ $0 === context.objects }) {
            throw GraphError.wrongContext(
                object.objectID, detail: "the model belongs to another ModelContext")
        }
        return false
    }

    private func leadsToNewModels(_ backing: BackingData) throws -> Bool {
        let values = backing.newValues.all
        for index in values.indices {
            switch values[index].content {
            case .plain, .nothing, .noModels, .other: continue
            case .models(let list):
                for model in list.all where try isNew(model.persistentBackingData) { return true }
            case .model(let model): if try isNew(model.persistentBackingData) { return true }
            case .knownModel(let known):
                if let model = known.model, try isNew(model.persistentBackingData) { return true }
            }
        }
        return false
    }

    private func found(_ model: any PersistentModel, _ backing: BackingData) throws -> Found {
        Found(model: model, backing: backing, home: try context.home(of: type(of: model)))
    }

    /// Finds a new model and the new models that relationships lead to from it.
    private func find(_ first: any PersistentModel, _ found: inout [Found]) throws {
        func add(_ model: any PersistentModel, _ found: inout [Found]) throws {
            let backing = model.persistentBackingData
            guard !backing.isBeingInserted, try isNew(backing) else { return }
            found.append(try self.found(model, backing))
            backing.beginInsertion(of: model)
        }
        try add(first, &found)
        var index = 0
        while index < found.count {
            for value in found[index].backing.newValues.all {
                switch value.content {
                case .models(let list): for model in list.all { try add(model, &found) }
                default: if let model = value.content.destination { try add(model, &found) }
                }
            }
            index += 1
        }
    }
}
