public import CairnModel
public import CairnObjects
internal import CairnStack
internal import Foundation
internal import Observation
internal import Synchronization

#if os(Linux)
public import CairnCLinux
#endif

/// The values of a model: in memory until the model is inserted into a context, and a managed object from then on.
///
/// `@Model` generates the code that uses it. A program only passes it on, from `init(backingData:)`.
public final class BackingData: ManagedObject {
    // Exclusivity is unchecked, as in ManagedObject: the checks would cost more than reading a value does. One thread at
    // a time uses a model, and each access reads or writes one field.

    /// The model. Empty before the model is inserted.
    @exclusivity(unchecked) private var modelReference = InstanceReference()
    /// What the objects of the entity share. `nil` before the object gets a model.
    @exclusivity(unchecked) var home: ModelHome?
    /// The values of a model without a context.
    @exclusivity(unchecked) var newValues = NewModelValues(areOfObject: true)
    /// The state that few models have.
    @exclusivity(unchecked) private var details: Details?

    private final class Details {
        /// Notifies observers of the model. `nil` until a read of the model has to be noted.
        var observers: TrackingProbe.Attempt?
        /// The properties whose `willSet` and `didSet` are running.
        var running: Set<String> = []
        /// The number that identifies the model until it is saved. 0 until somebody asks.
        var temporaryNumber: Int64 = 0
    }

    private static let lastNumber = Atomic<Int64>(0)

    /// Creates the backing data of an object. Contexts call this.
    public required init(_ seed: ManagedObject._Seed) { super.init(seed) }

    /// Creates backing data without values, for a model without a context.
    public convenience init() {
        self.init(DetachedKind.seed)
        newValues.areOfObject = false
    }

    /// Returns `false` if the observers of a property are running. Generated code calls this.
    public func beginObserving(_ name: String) -> Bool {
        madeDetails.running.insert(name).inserted
    }

    /// Notes that the observers of a property have run. Generated code calls this.
    public func endObserving(_ name: String) { details?.running.remove(name) }

    /// Takes the values that a subclass got before its superclass was initialized.
    func adopt(_ subclass: BackingData) {
        // A fetched model already has its values.
        guard subclass !== self, !isAttached else { return }
        // By index, because a model that ends with a replaced value may set others.
        var index = 0
        while index < subclass.newValues.all.count {
            let value = subclass.newValues.all[index]
            newValues.set(value.content, value.name)
            index += 1
        }
        subclass.newValues.removeAll()
    }

    private var madeDetails: Details {
        if let details { return details }
        let made = Details()
        details = made
        return made
    }

    // MARK: Identity

    /// Whether the values are those of a managed object. `false` before the model is inserted.
    private var isAttached: Bool { newValues.areOfObject }
    /// The managed object that has the values. `nil` before the model is inserted.
    var object: BackingData? { isAttached ? self : nil }
    private var modelEntity: ModelEntity? { home?.entity }
    private var context: ModelContext? { home?.context }

    var liveContext: ModelContext? { uncountedContext == nil ? nil : context }

    func identifier(of model: any PersistentModel.Type) -> PersistentIdentifier {
        if let id = object?.objectID, !id.isTemporary { return PersistentIdentifier(id) }
        let details = madeDetails
        if details.temporaryNumber == 0 {
            details.temporaryNumber = Self.lastNumber.add(1, ordering: .relaxed).newValue
        }
        return PersistentIdentifier(
            temporary: details.temporaryNumber, entityName: modelEntity?.name ?? "\(model)")
    }

    // MARK: The model

    /// The only instance of the model in the context. `nil` if nothing holds the instance.
    var instance: AnyObject? { modelReference.object }

    /// Sets the model of a fetched object, which holds the context and its backing data.
    func know(_ model: AnyObject) { modelReference.set(model, isHeld: false) }

    /// Holds a model with unsaved changes until they are saved, because variables that are not saved belong to its
    /// instance.
    func holdChanged(_ model: some PersistentModel) {
        guard isAttached, hasChanges, let home else { return }
        // A model that is ending, whose deinitializer sets a property, cannot be held.
        if !modelReference.isHeld, instance != nil { hold(model) }
        if home.isMain { home.context?.noteChange() }
    }

    /// Holds the model, because it has unsaved changes. The context holds changed objects, and each of them its model,
    /// which must not hold the context.
    private func hold(_ model: any PersistentModel) {
        modelReference.set(model, isHeld: true)
        model._setBacking(_ModelBacking(self, in: nil))
    }

    /// Lets the model go, because it has no unsaved changes any more.
    func release() {
        guard modelReference.isHeld else { return }
        modelReference.weaken()
        guard let instance, let model = home?.entity.model(instance) else { return }
        model._setBacking(_ModelBacking(self, in: context))
    }

    /// Lets the model go, and knows it as long as something else holds it.
    func weaken() { modelReference.weaken() }

    /// Lets the model go, because nobody will ask for it.
    func forget() { modelReference.clear() }

    /// Calls ``release()``. Contexts call this after a save.
    public override func didSave() { release() }

    // MARK: Observation

    #if !os(Linux)
    /// Returns whether a read of the model has to be noted: somebody may observe the model already, or the running thread
    /// tracks accesses. Without a context, a model has no probe that could tell, so each read is noted.
    ///
    /// The `readonly` effect keeps the optimiser from counting references around each read of a value. It is accurate for
    /// callers: the call writes only into its probe and into the list of the thread's accesses, which no caller reads, and
    /// releases nothing. The optimiser may merge two calls if nothing between them can write memory. Their results are then
    /// the same: tracking begins and ends in calls of Observation, which may write.
    @inline(never) @_effects(readonly) @usableFromInline func probesTracking() -> Bool {
        guard registrar == nil, let probe = home?.probe else { return true }
        return probe.isTracking()
    }
    #endif

    /// Whether a read of the model may have to be noted.
    @inlinable @inline(__always) var notesReads: Bool {
        #if os(Linux)
        cairn_thread_word_is_set(Int(trackingOffset))
        #else
        probesTracking()
        #endif
    }

    /// Notifies observers of the model. `nil` if no read of it was noted.
    var registrar: ObservationRegistrar? { details?.observers?.registrar }

    /// Returns what notes a read of the model. Returns `nil` if the read need not be noted.
    func registrarOfRead() -> ObservationRegistrar? {
        guard notesReads else { return nil }
        if let registrar { return registrar }
        let probe = home?.probe
        if let probe, !probe.isTracking() { return nil }
        let observers = probe?.takeAttempt() ?? TrackingProbe.Attempt()
        madeDetails.observers = observers
        return observers.registrar
    }

    // MARK: Insertion

    /// Whether an insertion that is in progress has found the model.
    var isBeingInserted: Bool { !isAttached && instance != nil }

    /// Notes that an insertion has found the model, which holds the backing data.
    func beginInsertion(of model: AnyObject) { modelReference.set(model, isHeld: false) }

    /// Notes that the model is not inserted after all.
    func endInsertion() { if !isAttached { modelReference.clear() } }

    /// Makes the backing data, which an insertion has made a managed object, that of a model in a context.
    func attach(of model: AnyObject, _ home: ModelHome) {
        newValues.areOfObject = true
        self.home = home
        modelReference.set(model, isHeld: true)
    }

    /// Replaces the backing data of a model that became the stored one.
    func replace(_ former: BackingData, of model: any PersistentModel, _ home: ModelHome) {
        if let observers = former.details?.observers {
            // Observers of another instance of the stored model will not hear of it again.
            if let instance, let other = home.entity.model(instance) {
                for property in home.entity.properties.values { property.notify(other) }
            }
            madeDetails.observers = observers
        }
        self.home = home
        hold(model)
    }

    /// Gives a model backing data that has the values and belongs to no context, because its insertion is being
    /// discarded.
    func detach(from model: any PersistentModel) {
        let copy = BackingData()
        (copy.details, details, copy.home) = (details, nil, home)
        for property in modelEntity?.properties.values.map(\.self) ?? [] {
            switch property.kind {
            case .attribute(let form):
                guard let stored = reporting({ try self[property.name] }) else { continue }
                if form.isPlain {
                    copy.newValues.set(.plain(stored), property.key)
                } else if let value = reporting({ try form.any(stored) }) {
                    copy.newValues.set(.other(value), property.key)
                }
            case .toOne:
                guard let mark = property.mark else { continue }
                guard let model = destination(mark) else {
                    copy.newValues.set(.nothing, property.key)
                    continue
                }
                copy.newValues.set(
                    holds([model], of: property.name)
                        ? .model(model) : .knownModel(KnownModel(model: model)), property.key)
            case .toMany(let type, _):
                guard let mark = property.mark else { continue }
                let members = members(mark)
                copy.newValues.set(
                    NewModelValue.Content(
                        members, of: type, isHeld: holds(members, of: property.name)),
                    property.key)
            }
        }
        model._setBacking(_ModelBacking(copy, in: nil))
        // Others that are being discarded may lead to it.
        weaken()
    }

    /// Returns whether a model that is being discarded holds the destinations of a relationship. Of a relationship and its
    /// inverse, only one holds new models, because nothing would ever free models that hold each other.
    private func holds(_ destinations: [any PersistentModel], of name: String) -> Bool {
        guard let relationship = entity.relationshipsByName[name],
            let inverse = relationship.inverse,
            destinations.contains(where: { $0.persistentBackingData.object?.isInserted ?? true })
        else { return true }
        if relationship.isToMany != inverse.isToMany { return relationship.isToMany }
        return (inverse.entity.name, inverse.name) < (relationship.entity.name, relationship.name)
    }

    // MARK: Attributes

    /// Returns the value of a property that is declared with `let`. Generated code calls this.
    ///
    /// - Precondition: The store contains the model, or the property is optional.
    public func constant<Content: Codable>(_ name: StaticString) -> Content {
        guard isAttached, let property = modelEntity?.properties["\(name)"] else {
            return valueOfNone(name)
        }
        let value: Content? = reporting {
            try content(of: property, as: try self["\(name)"])
        }
        return value ?? valueOfNone(name)
    }

    /// Returns the value of an attribute of any type.
    func attribute<Content: Codable>(_ mark: _Property.Mark, _ name: StaticString) -> Content {
        if isAttached {
            guard let property = modelEntity?.property(at: mark) else { return valueOfNone(name) }
            let stored = markedValue(at: mark)
            return reporting { try content(of: property, as: stored) } ?? valueOfNone(name)
        }
        if case .other(let value)? = newValues[name], let value = value as? Content {
            return value
        }
        return valueOfNone(name)
    }

    /// Returns what a property is read as that has no value.
    ///
    /// - Precondition: The property is optional, or has a default value.
    func valueOfNone<Content>(_ name: StaticString) -> Content {
        if let nothing = (Content.self as? any ExpressibleByNilLiteral.Type)?.init(nilLiteral: ())
            as? Content
        {
            return nothing
        }
        if let value = modelEntity?.properties["\(name)"]?.defaultValue as? Content { return value }
        preconditionFailure(
            "\(modelEntity?.name ?? "a model").\(name) is not optional, but has no value: it was not set, or the"
                + " model is no longer in its store")
    }

    private func content<Content: Codable>(
        of property: ModelProperty, as stored: Value
    ) throws -> Content? {
        guard case .attribute(let form) = property.kind else { return nil }
        if let value = try form.typed(as: Content.self)?.read(stored) { return value }
        if stored.isNull || stored == .composite([:]) { return nil }
        throw GraphError.wrongType(
            entity: entity.name, property: property.name,
            expected: "a value of \(Content.self)", found: "another value")
    }

    func setAttribute<Content: Codable>(
        _ value: Content, _ mark: _Property.Mark, _ name: StaticString
    ) {
        guard isAttached else { return newValues.set(.other(value), name) }
        reporting {
            guard let property = modelEntity?.property(at: mark),
                case .attribute(let form) = property.kind,
                let form = form.typed(as: Content.self)
            else { return }
            try setValue(try form.write(value), forKey: property.name)
        }
    }

    func setPlain(_ value: CairnModel.Value, _ mark: _Property.Mark, _ name: StaticString) {
        guard isAttached else { return newValues.set(.plain(value), name) }
        setMarkedValue(value, at: mark)
    }

    /// Sets a value while the model is being initialized. Has no effect if it is the model of an object, which already has
    /// its values.
    func setInitial(_ content: consuming NewModelValue.Content, _ name: StaticString) {
        if !isAttached { newValues.setElsewhere(content, name) }
    }

    /// Sets an attribute of a model without a context. Returns `false` if the model has a context or may be observed.
    @usableFromInline
    func setNew(_ value: consuming CairnModel.Value, _ name: StaticString) -> Bool {
        guard !isAttached, details == nil else { return false }
        newValues.set(.plain(value), name)
        return true
    }

    /// Sets a to-one relationship of a model without a context. Returns `false` if the model has a context or may be
    /// observed.
    @usableFromInline func setNew(
        _ model: (any PersistentModel)?, _ name: StaticString, of owner: any PersistentModel
    ) -> Bool {
        guard !isAttached, details == nil else { return false }
        guard let model else {
            newValues.set(.nothing, name)
            return true
        }
        newValues.set(.model(model), name)
        model.persistentBackingData.liveContext?.insertGraph(of: owner)
        return true
    }

    // MARK: Relationships

    /// Returns the destination of a to-one relationship of a model with a context.
    private func destination(_ mark: _Property.Mark) -> (any PersistentModel)? {
        guard isAttached, let context,
            let other = BackingData._generalOptional(of: self, at: mark)
        else { return nil }
        return context.model(of: other)
    }

    func destination<Other: PersistentModel>(
        _ mark: _Property.Mark, _ name: StaticString, as type: Other.Type
    ) -> Other? {
        guard isAttached else {
            return newValues[name]?.destination as? Other
        }
        guard
            let other = BackingData._quickPresent(of: self, at: mark)
                ?? BackingData._generalOptional(of: self, at: mark)
        else { return nil }
        return context?.model(of: other, as: type)
    }

    func setDestination<Other: PersistentModel>(
        _ model: Other?, _ mark: _Property.Mark, _ name: StaticString, of owner: any PersistentModel
    ) {
        guard isAttached else {
            newValues.set(model.map(NewModelValue.Content.model) ?? .nothing, name)
            model?.modelContext?.insertGraph(of: owner)
            return
        }
        reporting {
            guard let model else { return BackingData._setOptional(nil, of: self, at: mark) }
            if let context { try ModelInsertion(context).insert(model) }
            BackingData._setOptional(model.persistentBackingData.object, of: self, at: mark)
        }
    }

    /// Returns the members of a to-many relationship. Returns `nil` if a model without a context has `nil`.
    func members<Member: PersistentModel>(
        _ mark: _Property.Mark, _ name: StaticString, as type: Member.Type
    ) -> [Member]? {
        guard isAttached else {
            switch newValues[name] {
            case .noModels?: return []
            case .models(let list as TypedModelList<Member>)?: return list.models
            case .models(let list)?: return list.all.compactMap { $0 as? Member }
            default: return nil
            }
        }
        guard let context else { return nil }
        return Members<BackingData>._generalValue(of: self, at: mark).compactMap {
            context.model(of: $0, as: type)
        }
    }

    private func members(_ mark: _Property.Mark) -> [any PersistentModel] {
        guard isAttached, let context else { return [] }
        return Members<BackingData>._generalValue(of: self, at: mark).map(context.model(of:))
    }

    func setMembers<Member: PersistentModel>(
        _ models: [Member]?, _ mark: _Property.Mark, _ name: StaticString,
        of owner: any PersistentModel
    ) {
        guard isAttached else {
            newValues.set(NewModelValue.Content(models), name)
            models?.lazy.compactMap(\.modelContext).first?.insertGraph(of: owner)
            return
        }
        reporting {
            if let context {
                for model in models ?? [] { try ModelInsertion(context).insert(model) }
            }
            let objects = (models ?? []).compactMap(\.persistentBackingData.object)
            Members<BackingData>._setValue(Members(objects), of: self, at: mark)
        }
    }

    // MARK: Failures

    @discardableResult
    private func reporting<Result>(_ body: () throws -> Result?) -> Result? {
        do {
            return try body()
        } catch {
            ModelContext.report(error, in: context)
            return nil
        }
    }
}
