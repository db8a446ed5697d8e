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
    /// The object that has the values of a model with a context.
    // Exclusivity is unchecked, as in ManagedObject: the check would cost more than reading a value does. One thread at a
    // time uses a model, and each access reads or writes only the reference.
    @exclusivity(unchecked) @usableFromInline private(set) var object: ModelObject?
    /// The context while the model has no unsaved changes. A context holds its changed models, so these must not
    /// hold it.
    private var keptContext: ModelContext?
    /// Notifies observers of the model. `nil` until a read of the model has to be noted.
    private var observers: TrackingProbe.Attempt?
    /// The values of a model without a context.
    private(set) var values: [NewModelValue] = []
    /// The properties whose observers are running.
    private var observed: Set<String> = []
    /// The number that identifies the model until it is saved. 0 until somebody asks.
    private var temporaryNumber: Int64 = 0
    /// Whether an insertion that is in progress has found the model.
    var isBeingInserted = false

    private static let lastNumber = Atomic<Int64>(0)

    /// Creates backing data without values, for a model without a context.
    public init() {}

    init(of object: ModelObject, in context: ModelContext) {
        (self.object, keptContext) = (object, context)
    }

    /// Returns `false` if the observers of a property are running. Generated code calls this.
    public func beginObserving(_ name: String) -> Bool { observed.insert(name).inserted }

    /// Notes that the observers of a property have run. Generated code calls this.
    public func endObserving(_ name: String) { observed.remove(name) }

    /// Takes the values that a subclass got before its superclass was initialized, and returns itself. Generated code
    /// calls this.
    public func adopting(_ subclass: BackingData) -> BackingData {
        // A fetched model already has its values.
        guard subclass !== self, object == nil else { return self }
        for value in subclass.values { setValue(value.content, value.name) }
        subclass.values = []
        return self
    }

    // MARK: Identity

    private var home: ModelHome? { object?.home }
    var entity: ModelEntity? { home?.entity }
    private var context: ModelContext? { keptContext ?? home?.context }

    var liveContext: ModelContext? { object?.managedObjectContext == nil ? nil : context }

    func identifier(of model: any PersistentModel.Type) -> PersistentIdentifier {
        if let id = object?.objectID, !id.isTemporary { return PersistentIdentifier(id) }
        if temporaryNumber == 0 {
            temporaryNumber = Self.lastNumber.add(1, ordering: .relaxed).newValue
        }
        return PersistentIdentifier(
            temporary: temporaryNumber, entityName: entity?.name ?? "\(model)")
    }

    // MARK: Observation

    /// Returns whether a read of the model has to be noted: somebody may observe the model already, or the running thread
    /// tracks accesses. Without a context, a model has no probe that could tell, so each read is noted.
    ///
    /// The `readonly` effect keeps the optimiser from counting references around each read of a value. It is accurate for
    /// callers: the call writes only into its probe and into the list of the thread's accesses, which no caller reads, and
    /// releases nothing. The optimiser may merge two calls if nothing between them can write memory. Their results are then
    /// the same: tracking begins and ends in calls of Observation, which may write.
    @inline(never) @_effects(readonly) @usableFromInline func notesReads() -> Bool {
        guard observers == nil, let probe = object?.home?.probe else { return true }
        return probe.isTracking()
    }

    /// Notifies observers of the model. `nil` if no read of it was noted.
    var registrar: ObservationRegistrar? { observers?.registrar }

    /// Returns what notes a read of the model. Returns `nil` if the read need not be noted.
    func registrarOfRead() -> ObservationRegistrar? {
        if observers == nil, notesReads() {
            observers = home?.probe?.takeAttempt() ?? TrackingProbe.Attempt()
        }
        return registrar
    }

    /// Keeps a model with unsaved changes until they are saved, because variables that are not saved belong to its
    /// instance.
    func hold(_ model: AnyObject) {
        guard let object, object.hasChanges, let home else { return }
        if object.heldInstance == nil {
            object.hold(model)
            keptContext = nil
        }
        if home.isMain { home.context?.noteChange() }
    }

    /// Keeps the context, because the model has no unsaved changes any more.
    func keepContext() { keptContext = home?.context }

    // MARK: Insertion

    /// Moves the model into a context. Its values are in the object from then on.
    func attach(to object: ModelObject, of model: AnyObject, _ home: ModelHome) {
        self.object = object
        object.home = home
        object.hold(model)
        keptContext = nil
    }

    /// Forgets the values of before the insertion, and returns them.
    func takeValues() -> [NewModelValue] {
        defer { values = [] }
        return values
    }

    /// Takes the values back from an object whose insertion is being discarded.
    func detach() {
        guard let object, let entity else { return }
        for property in entity.properties.values {
            switch property.kind {
            case .attribute(let form):
                guard let stored = reporting({ try object[property.name] }) else { continue }
                if form.isPlain {
                    setValue(.plain(stored), property.name)
                } else if let value = reporting({ try form.any(stored) }) {
                    setValue(.other(value), property.name)
                }
            case .toOne:
                guard let mark = property.mark else { continue }
                let model = destination(mark)
                setValue(model.map(NewModelValue.Content.model) ?? .nothing, property.name)
            case .toMany(let type, _):
                guard let mark = property.mark else { continue }
                setValue(NewModelValue.Content(members(mark), of: type), property.name)
            }
        }
        // Others that are being discarded may lead to it.
        object.weaken()
        self.object = nil
    }

    // MARK: Values before the insertion

    func value(_ name: String) -> NewModelValue.Content? {
        for value in values where value.name == name { return value.content }
        return nil
    }

    func setValue(_ content: NewModelValue.Content, _ name: String) {
        for index in values.indices where values[index].name == name {
            values[index].content = content
            return
        }
        if values.isEmpty { values.reserveCapacity(4) }
        values.append(NewModelValue(name: name, content: content))
    }

    // MARK: Attributes

    /// Returns the value of a property that is declared with `let`. Generated code calls this.
    ///
    /// - Precondition: The store contains the model, or the property is optional.
    public func constant<Content: Codable>(_ name: String) -> Content {
        guard let object, let property = entity?.properties[name] else {
            return valueOfNone(name)
        }
        let value: Content? = reporting {
            try Self.content(of: property, as: try object[name], in: object)
        }
        return value ?? valueOfNone(name)
    }

    /// Returns the value of an attribute of any type.
    func attribute<Content: Codable>(_ mark: _Property.Mark, _ name: String) -> Content {
        if let object {
            guard let property = object.home?.entity.property(at: mark) else {
                return valueOfNone(name)
            }
            let stored = object.markedValue(at: mark)
            return reporting { try Self.content(of: property, as: stored, in: object) }
                ?? valueOfNone(name)
        }
        if case .other(let value)? = value(name), let value = value as? Content { return value }
        return valueOfNone(name)
    }

    /// Returns what a property is read as that has no value.
    ///
    /// - Precondition: The property is optional, or has a default value.
    func valueOfNone<Content>(_ name: String) -> Content {
        if let nothing = (Content.self as? any ExpressibleByNilLiteral.Type)?.init(nilLiteral: ())
            as? Content
        {
            return nothing
        }
        if let value = entity?.properties[name]?.defaultValue as? Content { return value }
        preconditionFailure(
            "\(entity?.name ?? "a model").\(name) is not optional, but has no value: it was not set, or the"
                + " model is no longer in its store")
    }

    private static func content<Content: Codable>(
        of property: ModelProperty, as stored: Value, in object: ModelObject
    ) throws -> Content? {
        guard case .attribute(let form) = property.kind else { return nil }
        if let value = try form.typed(as: Content.self)?.read(stored) { return value }
        if stored.isNull || stored == .composite([:]) { return nil }
        throw GraphError.wrongType(
            entity: object.entity.name, property: property.name,
            expected: "a value of \(Content.self)", found: "another value")
    }

    func setAttribute<Content: Codable>(
        _ value: Content, _ mark: _Property.Mark, _ name: String
    ) {
        guard let object else { return setValue(.other(value), name) }
        reporting {
            guard case .attribute(let form)? = object.home?.entity.property(at: mark)?.kind,
                let form = form.typed(as: Content.self)
            else { return }
            try object.setValue(try form.write(value), forKey: name)
        }
    }

    // MARK: Relationships

    /// Returns the destination of a to-one relationship of a model with a context.
    func destination(_ mark: _Property.Mark) -> (any PersistentModel)? {
        guard let object, let context,
            let other = ModelObject._generalOptional(of: object, at: mark)
        else { return nil }
        return context.model(of: other)
    }

    func destination<Other: PersistentModel>(
        _ mark: _Property.Mark, _ name: String, as type: Other.Type
    ) -> Other? {
        guard let object else {
            if case .model(let model)? = value(name) { return model as? Other }
            return nil
        }
        guard
            let other = ModelObject._quickPresent(of: object, at: mark)
                ?? ModelObject._generalOptional(of: object, at: mark)
        else { return nil }
        return context?.model(of: other, as: type)
    }

    func setDestination<Other: PersistentModel>(
        _ model: Other?, _ mark: _Property.Mark, _ name: String, of owner: any PersistentModel
    ) {
        guard let object else {
            setValue(model.map(NewModelValue.Content.model) ?? .nothing, name)
            model?.modelContext?.insertGraph(of: owner)
            return
        }
        reporting {
            guard let model else {
                return ModelObject._setOptional(nil, of: object, at: mark)
            }
            if let context { try ModelInsertion(context).insert(model) }
            ModelObject._setOptional(model.persistentBackingData.object, of: object, at: mark)
        }
    }

    /// Returns the members of a to-many relationship. Returns `nil` if a model without a context has `nil`.
    func members<Member: PersistentModel>(
        _ mark: _Property.Mark, _ name: String, as type: Member.Type
    ) -> [Member]? {
        guard let object else {
            switch value(name) {
            case .noModels?: return []
            case .models(let list)?: return (list as? TypedModelList<Member>)?.models
            default: return nil
            }
        }
        guard let context else { return nil }
        return Members<ModelObject>._generalValue(of: object, at: mark).compactMap {
            context.model(of: $0, as: type)
        }
    }

    private func members(_ mark: _Property.Mark) -> [any PersistentModel] {
        guard let object, let context else { return [] }
        return Members<ModelObject>._generalValue(of: object, at: mark).map(context.model(of:))
    }

    func setMembers<Member: PersistentModel>(
        _ models: [Member]?, _ mark: _Property.Mark, _ name: String, of owner: any PersistentModel
    ) {
        guard let object else {
            setValue(NewModelValue.Content(models), name)
            models?.lazy.compactMap(\.modelContext).first?.insertGraph(of: owner)
            return
        }
        reporting {
            if let context {
                for model in models ?? [] { try ModelInsertion(context).insert(model) }
            }
            let objects = (models ?? []).compactMap(\.persistentBackingData.object)
            Members<ModelObject>._setValue(Members(objects), of: object, at: mark)
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
