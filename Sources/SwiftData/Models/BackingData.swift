internal import CairnModel
internal import CairnObjects
internal import CairnStack
internal import Foundation
internal import Observation
internal import Synchronization

/// The values of a model: in memory until the model is inserted into a context, and a managed object from then on.
///
/// `@Model` generates the code that uses it. A program only passes it on, from `init(backingData:)`.
public final class BackingData {
    /// The values of a model without a context, by the names of its properties.
    private(set) var values: [String: Any] = [:]
    /// The object that has the values of a model with a context.
    private(set) var object: ModelObject?
    private(set) var entity: ModelEntity?
    private(set) weak var context: ModelContext?
    /// The same context while the model has no unsaved changes. A context holds its changed models, so these must not
    /// hold it.
    private var keptContext: ModelContext?
    /// Notifies observers of the model. `nil` until the model is read.
    private(set) var registrar: ObservationRegistrar?
    /// The properties whose observers are running.
    private var observed: Set<String> = []
    /// The number that identifies the model until it is saved.
    private lazy var temporaryNumber = Self.lastNumber.add(1, ordering: .relaxed).newValue

    private static let lastNumber = Atomic<Int64>(0)

    /// Creates backing data without values, for a model without a context.
    public init() {}

    init(of object: ModelObject, _ entity: ModelEntity, in context: ModelContext) {
        (self.object, self.entity, self.context) = (object, entity, context)
        keptContext = context
    }

    /// Sets a property while the model is being initialized. Generated code calls this.
    public func setInitialValue<Value>(_ value: Value, forKey name: String) { values[name] = value }

    /// Returns `false` if the observers of a property are running. Generated code calls this.
    public func beginObserving(_ name: String) -> Bool { observed.insert(name).inserted }

    /// Notes that the observers of a property have run. Generated code calls this.
    public func endObserving(_ name: String) { observed.remove(name) }

    /// Takes the values that a subclass got before its superclass was initialized, and returns itself. Generated code
    /// calls this.
    public func adopting(_ subclass: BackingData) -> BackingData {
        guard !subclass.values.isEmpty else { return self }
        // A fetched model already has its values.
        if object == nil { values.merge(subclass.values) { _, new in new } }
        subclass.values = [:]
        return self
    }

    // MARK: Identity

    var liveContext: ModelContext? { object?.managedObjectContext == nil ? nil : context }

    func identifier(of model: any PersistentModel.Type) -> PersistentIdentifier {
        if let id = object?.objectID, !id.isTemporary { return PersistentIdentifier(id) }
        return PersistentIdentifier(
            temporary: temporaryNumber, entityName: entity?.name ?? "\(model)")
    }

    /// The registrar, created if the model was not read before.
    var observedRegistrar: ObservationRegistrar {
        if let registrar { return registrar }
        let new = ObservationRegistrar()
        registrar = new
        return new
    }

    /// Keeps a model with unsaved changes until they are saved, because variables that are not saved belong to its
    /// instance.
    func hold(_ model: any PersistentModel) {
        guard let object, object.hasChanges, let context else { return }
        if object.heldModel == nil {
            object.heldModel = model
            keptContext = nil
        }
        context.noteChange()
    }

    /// Keeps the context, because the model has no unsaved changes any more.
    func keepContext() { keptContext = context }

    // MARK: Insertion

    /// Moves the model into a context. Its values are in the object from then on.
    func attach(
        to object: ModelObject, _ entity: ModelEntity, of model: any PersistentModel,
        in context: ModelContext
    ) {
        (self.object, self.entity, self.context) = (object, entity, context)
        (object.model, object.heldModel) = (model, model)
        keptContext = nil
    }

    /// Forgets the values of before the insertion, and returns them.
    func takeValues() -> [String: Any] {
        defer { values = [:] }
        return values
    }

    /// Takes the values back from an object whose insertion is being discarded.
    func detach() {
        guard let object, let entity else { return }
        for property in entity.properties.values {
            switch property.kind {
            case .attribute(let form):
                values[property.name] = reporting { try form.any(try object[property.name]) }
            case .toOne: values[property.name] = destination(property.name)
            case .toMany: values[property.name] = anyMembers(property.name)
            }
        }
        object.heldModel = nil
        self.object = nil
        context = nil
    }

    // MARK: Attributes

    /// Returns the value of a property that is declared with `let`. Generated code calls this.
    ///
    /// - Precondition: The store contains the model, or the property is optional.
    public func constant<Value: Codable>(_ name: String) -> Value { attribute(name) }

    func attribute<Value: Codable>(_ name: String) -> Value {
        if let object {
            do {
                if let value: Value = try storedAttribute(name, of: object) { return value }
            } catch {
                report(error)
            }
        } else if let value = values[name] as? Value {
            return value
        }
        if let nothing = (Value.self as? any ExpressibleByNilLiteral.Type)?.init(nilLiteral: ())
            as? Value
        {
            return nothing
        }
        if let value = entity?.properties[name]?.defaultValue as? Value { return value }
        preconditionFailure(
            "\(entity?.name ?? "a model").\(name) is not optional, but has no value: it was not set, or the"
                + " model is no longer in its store")
    }

    private func storedAttribute<Value: Codable>(
        _ name: String, of object: ModelObject
    ) throws -> Value? {
        let stored = try object[name]
        guard case .attribute(let form)? = entity?.properties[name]?.kind else { return nil }
        if let value = try form.typed(as: Value.self)?.read(stored) { return value }
        if stored.isNull || stored == .composite([:]) { return nil }
        throw GraphError.wrongType(
            entity: object.entity.name, property: name, expected: "a value of \(Value.self)",
            found: "another value")
    }

    func setAttribute<Value: Codable>(_ value: Value, _ name: String) {
        guard let object else {
            values[name] = value
            return
        }
        reporting {
            guard case .attribute(let form)? = entity?.properties[name]?.kind,
                let form = form.typed(as: Value.self)
            else { return }
            try object.setValue(try form.write(value), forKey: name)
        }
    }

    // MARK: Relationships

    func destination(_ name: String) -> (any PersistentModel)? {
        guard let object else { return values[name] as? any PersistentModel }
        return reporting {
            guard let other = try object.value(forKey: name) as? ModelObject else { return nil }
            return context?.model(of: other)
        }
    }

    func setDestination(
        _ model: (any PersistentModel)?, _ name: String, of owner: any PersistentModel
    ) {
        guard let object else {
            values[name] = model
            model?.modelContext?.insertGraph(of: owner)
            return
        }
        reporting {
            if let model, let context { try ModelInsertion(context).insert(model) }
            try object.setValue(model?.persistentBackingData.object, forKey: name)
        }
    }

    func members<Member: PersistentModel>(_ name: String) -> [Member]? {
        guard object != nil else { return values[name] as? [Member] }
        return anyMembers(name)?.compactMap { $0 as? Member }
    }

    private func anyMembers(_ name: String) -> [any PersistentModel]? {
        guard let object, let context else { return nil }
        return reporting {
            let members: ObjectSet<ModelObject> = try object.objects(name)
            return members.map(context.model(of:))
        }
    }

    func setMembers(
        _ models: [any PersistentModel]?, _ name: String, of owner: any PersistentModel
    ) {
        guard let object else {
            values[name] = models
            models?.lazy.compactMap(\.modelContext).first?.insertGraph(of: owner)
            return
        }
        reporting {
            if let context {
                for model in models ?? [] { try ModelInsertion(context).insert(model) }
            }
            let objects = (models ?? []).compactMap(\.persistentBackingData.object)
            try object.setValue(objects, forKey: name)
        }
    }

    // MARK: Failures

    @discardableResult
    private func reporting<Result>(_ body: () throws -> Result?) -> Result? {
        do {
            return try body()
        } catch {
            report(error)
            return nil
        }
    }

    private func report(_ error: any Error) { ModelContext.report(error, in: context) }
}
