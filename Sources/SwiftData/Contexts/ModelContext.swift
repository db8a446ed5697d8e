internal import CairnModel
internal import CairnObjects
internal import CairnStack
public import Foundation

/// A workspace in which models are inserted, fetched, changed and saved.
///
/// A context is used by one thread or task at a time, which the compiler checks: it is not `Sendable`. Calls read and
/// write stores on the calling thread. In a task, use a ``ModelActor``, whose calls run on threads of its own.
public final class ModelContext {
    let objects: ManagedObjectContext
    let stack: ModelStack
    private weak var givenContainer: ModelContainer?
    /// The container that stands for one that is gone.
    private lazy var ownContainer = ModelContainer(stack)
    private let isMain: Bool
    private let probe = TrackingProbe.isReliable ? TrackingProbe() : nil
    /// The homes of the entities' models, by entity number, from 1. `nil` before the first model.
    private var homes: [ModelHome?] = []
    private var lastHome: ModelHome?
    private var isAutosaveScheduled = false

    /// Whether the context saves by itself. The context of the user interface does at the end of each event of the main
    /// actor, unless the program sets this to `false`. Every other context saves only when ``save()`` is called.
    public var autosaveEnabled: Bool {
        didSet { if autosaveEnabled, hasChanges { noteChange() } }
    }

    /// A function that is called with each error of a call that cannot throw: setting a property, reading one whose
    /// values have to be fetched, inserting, and saving automatically.
    ///
    /// If this is `nil`, which is the default, errors are written to the standard error output. What was to be set keeps
    /// its value.
    public var failureHandler: ((any Error) -> Void)?

    /// Creates a context. Changes in it are unknown to other contexts until they are saved.
    public convenience init(_ container: ModelContainer) { self.init(container, isMain: false) }

    init(_ container: ModelContainer, isMain: Bool) {
        stack = container.stack
        givenContainer = container
        objects = stack.makeContext()
        self.isMain = isMain
        autosaveEnabled = isMain
        objects.observers.add(self)
        objects.faultFailureHandler = { [weak self] error, _ in Self.report(error, in: self) }
    }

    deinit {
        // Before models end, whose deinitializers may ask for their context.
        for home in homes { home?.leaveContext() }
        // Unsaved changes end with the context. Their objects hold their models, which hold the objects.
        for object in changedObjects { object.forget() }
    }

    /// The container whose stores the context uses.
    public var container: ModelContainer { givenContainer ?? ownContainer }

    /// The author of the context's changes, for the stores' histories.
    public var author: String? {
        get { objects.transactionAuthor }
        set { objects.transactionAuthor = newValue }
    }

    // MARK: Inserting and deleting

    /// Adds a new model and all new models that its relationships lead to. The next save stores them.
    ///
    /// A model that already is in the context is not changed. A model of another context is refused, and reported to
    /// ``failureHandler``.
    public func insert<Model: PersistentModel>(_ model: Model) { insertGraph(of: model) }

    func insertGraph(of model: any PersistentModel) {
        do {
            try ModelInsertion(self).insert(model)
        } catch {
            report(error)
        }
    }

    /// Marks a model for deletion by the next save, together with the models to which relationships with the delete rule
    /// cascade lead. Has no effect on a model that is not in a context.
    public func delete<Model: PersistentModel>(_ model: Model) {
        let backing = model.persistentBackingData
        guard let object = backing.object else { return }
        do {
            // A model that was never saved has its values back, and can be inserted again.
            let isNew = object.isInserted
            if isNew { object.detach(from: model) }
            try objects.delete(object)
            if !isNew { object.holdChanged(model) }
            noteChange()
        } catch {
            report(error)
        }
    }

    // MARK: Changes

    /// Whether a save would have something to do.
    public var hasChanges: Bool { objects.hasChanges }
    /// New models that are not saved yet, in the order in which they were inserted.
    public var insertedModelsArray: [any PersistentModel] { models(objects.insertedObjects) }
    /// Saved models with unsaved changes, in the order of their identifiers.
    public var changedModelsArray: [any PersistentModel] { models(objects.updatedObjects) }
    /// Saved models that the next save deletes, in the order of their identifiers.
    public var deletedModelsArray: [any PersistentModel] { models(objects.deletedObjects) }

    private var changedObjects: [BackingData] {
        objects.insertedObjects.union(objects.updatedObjects).union(objects.deletedObjects)
            .compactMap { $0 as? BackingData }
    }

    private func models(_ changed: Set<ManagedObject>) -> [any PersistentModel] {
        changed.sorted { $0.objectID.precedes($1.objectID) }
            .compactMap { $0 as? BackingData }.map(model)
    }

    /// Ends the current event: applies delete rules, and notifies observers of models that changed because others did.
    public func processPendingChanges() { objects.processPendingChanges() }

    /// Schedules the end of the event and an automatic save. Called for each change.
    func noteChange() {
        guard isMain, !isAutosaveScheduled else { return }
        isAutosaveScheduled = true
        let main = MainContext(context: self)
        Task { @MainActor in main.context?.endEvent() }
    }

    private func endEvent() {
        isAutosaveScheduled = false
        processPendingChanges()
        guard autosaveEnabled, hasChanges else { return }
        do {
            try save()
        } catch {
            report(error)
        }
    }

    /// The context of the user interface, on its way to the main actor.
    // Unchecked: only the main actor uses the context, and the reference itself is atomic.
    private struct MainContext: @unchecked Sendable {
        weak var context: ModelContext?
    }

    // MARK: Saving

    /// Whether a new model may become a stored one.
    private lazy var hasUniqueValues = objects.managedObjectModel.entities.contains {
        !$0.uniquenessConstraints.isEmpty
    }

    /// How often a save begins again because other contexts saved the same models.
    private static let attemptCount = 20

    /// Saves all changes, or none.
    ///
    /// A new model with the same unique values as a stored one becomes the stored model, which gets its values.
    ///
    /// - Throws: `GraphError`, with every rule that a model breaks, or why the store refused the changes. The context
    ///   keeps its changes.
    public func save() throws {
        guard hasChanges else { return }
        post(Self.willSave, [:])
        let inserted =
            hasUniqueValues ? objects.insertedObjects.compactMap { $0 as? BackingData } : []
        var attempt = 1
        while let failure = saveOnce() {
            // The merge policy resolves conflicts, but the stored model that a new one becomes may change again before
            // it is saved.
            guard attempt < Self.attemptCount, case .mergeConflicts = failure else { throw failure }
            attempt += 1
        }
        for object in inserted where object.managedObjectContext == nil { followUpsert(of: object) }
    }

    /// Returns why the changes cannot be saved, or `nil` if they were saved.
    private func saveOnce() -> GraphError? {
        do {
            try objects.save()
            return nil
        } catch {
            return error
        }
    }

    /// Makes the model of a new object, which became a stored one because of its unique values, the model of the stored
    /// object.
    private func followUpsert(of object: BackingData) {
        guard let instance = object.instance, !object.objectID.isTemporary,
            let stored = try? objects.object(with: object.objectID) as? BackingData,
            stored !== object
        else { return }
        let home = home(of: stored)
        guard let model = home.entity.model(instance) else { return }
        object.forget()
        stored.replace(object, of: model, home)
        stored.release()
    }

    /// Runs a closure, and then saves.
    ///
    /// - Throws: The error of the closure, after which the changes that it made are still unsaved; the errors of
    ///   ``save()``.
    public func transaction(block: () throws -> Void) throws {
        try block()
        try save()
    }

    /// Discards all changes. New models have no context then, but keep their values and can be inserted again.
    public func rollback() {
        let changed = changedObjects
        // Together, because relationships lead from one new model to another.
        let new = changed.filter { $0.isInserted && !$0.isDeleted && $0.instance != nil }
        for (object, model) in zip(new, new.map(model)) { object.detach(from: model) }
        objects.rollback()
        for object in changed { object.release() }
    }

    // MARK: Models by identifier

    /// Returns the model with an identifier: the registered instance, or one whose values are fetched when they are
    /// read. The model may not exist in the store.
    ///
    /// - Precondition: The identifier is that of a model in this context, or in one of the container's stores.
    public func model(for id: PersistentIdentifier) -> any PersistentModel {
        if let model = newModel(for: id) { return model }
        guard let objectID = objectID(of: id),
            let object = try? objects.object(with: objectID) as? BackingData
        else {
            preconditionFailure(
                "no store of the container can contain the \(id.entityName) with the identifier \(id)"
            )
        }
        return model(of: object)
    }

    /// Returns the model with an identifier if an instance of it exists in the context, and `nil` otherwise. Does not
    /// access a store.
    public func registeredModel<Model: PersistentModel>(for id: PersistentIdentifier) -> Model? {
        if let model = newModel(for: id) { return model as? Model }
        guard let object = objectID(of: id).flatMap(objects.registeredObject) as? BackingData else {
            return nil
        }
        return object.instance as? Model
    }

    /// Returns the model with an identifier, with its values. Returns `nil` if no store contains it.
    func existingModel<Model: PersistentModel>(_ id: PersistentIdentifier) -> Model? {
        if let model = newModel(for: id) { return model as? Model }
        guard let objectID = objectID(of: id),
            let object = try? objects.existingObject(with: objectID) as? BackingData
        else { return nil }
        return model(of: object) as? Model
    }

    func objectID(of id: PersistentIdentifier) -> ObjectID? {
        id.uri.flatMap(stack.coordinator.managedObjectID)
    }

    /// Returns the ID of the unsaved model with a temporary identifier.
    func insertedID(of id: PersistentIdentifier) -> ObjectID? {
        newModel(for: id)?.persistentBackingData.object?.objectID
    }

    /// Returns the unsaved model with a temporary identifier.
    private func newModel(for id: PersistentIdentifier) -> (any PersistentModel)? {
        guard id.storeIdentifier == nil else { return nil }
        return insertedModelsArray.first { $0.persistentModelID == id }
    }

    /// Returns the instance of an object's model, created if nothing holds one.
    func model(of object: BackingData) -> any PersistentModel {
        let home = home(of: object)
        return object.instance.flatMap(home.entity.model)
            ?? makeModel(of: object, as: home.entity.type, home)
    }

    /// Returns the instance of an object's model as one of a class. Returns `nil` if it is not of the class.
    func model<Model: PersistentModel>(of object: BackingData, as _: Model.Type) -> Model? {
        if let instance = object.instance {
            return type(of: instance) == Model.self
                ? unsafeDowncast(instance, to: Model.self) : instance as? Model
        }
        let home = home(of: object)
        guard home.entity.type == Model.self else { return model(of: object) as? Model }
        return makeModel(of: object, as: Model.self, home)
    }

    private func makeModel<Model: PersistentModel>(
        of object: BackingData, as type: Model.Type, _ home: ModelHome
    ) -> Model {
        // Constants are read by the initializer.
        object.home = home
        ModelInCreation.begin(object)
        let model = type.init(backingData: object)
        ModelInCreation.end()
        object.know(model)
        return model
    }

    /// Returns the instance of the model of an object that a fetch found.
    func element<Model: PersistentModel>(_ object: BackingData) -> Model {
        guard let model = model(of: object, as: Model.self) else {
            preconditionFailure(
                "the entity \(object.entity.name) is not one of the class \(Model.self)")
        }
        return model
    }

    /// Returns the home of an object's model.
    private func home(of object: BackingData) -> ModelHome {
        if let lastHome, lastHome.kind === object.kind { return lastHome }
        let found =
            home(numbered: object.kind.number)
            ?? stack.entity(named: object.entity.name).map { makeHome(of: $0, object.kind) }
        guard let found else {
            preconditionFailure(
                "the schema does not contain the entity \(object.entity.name) of its model")
        }
        lastHome = found
        return found
    }

    /// Returns the home of a class's models.
    ///
    /// - Throws: `.unknownEntity` if the schema does not contain the class; `.notConnected`.
    func home(of type: any PersistentModel.Type) throws(GraphError) -> ModelHome {
        if let lastHome, lastHome.entity.type == type { return lastHome }
        let entity = try stack.entity(of: type)
        let kind = try objects.kinds.kind(named: entity.name)
        let found = home(numbered: kind.number) ?? makeHome(of: entity, kind)
        lastHome = found
        return found
    }

    private func home(numbered number: EntityNumber) -> ModelHome? {
        let index = Int(number.rawValue) - 1
        return homes.indices.contains(index) ? homes[index] : nil
    }

    private func makeHome(of entity: ModelEntity, _ kind: ObjectKind) -> ModelHome {
        if homes.isEmpty {
            homes = Array(repeating: nil, count: objects.managedObjectModel.entities.count)
        }
        let home = ModelHome(entity, kind, in: self, isMain: isMain, probe)
        homes[Int(kind.number.rawValue) - 1] = home
        return home
    }

    // MARK: Failures

    func report(_ error: any Error) { Self.report(error, in: self) }

    /// Reports an error of a model.
    ///
    /// - Parameter context: The context of the model. `nil` if it has none.
    static func report(_ error: any Error, in context: ModelContext?) {
        if let handler = context?.failureHandler { return handler(error) }
        FileHandle.standardError.write(Data("SwiftData: \(error)\n".utf8))
    }
}

/// The notifications that a context posts to `NotificationCenter.default`, with itself as their object.
extension ModelContext {
    /// Posted when a save begins. It has no user info.
    public static let willSave = Notification.Name("SwiftData.ModelContext.willSave")
    /// Posted when a save has succeeded. The user info contains arrays of identifiers for each ``NotificationKey``.
    public static let didSave = Notification.Name("SwiftData.ModelContext.didSave")

    /// The keys of the user info of ``didSave``, as raw values.
    public enum NotificationKey: String, Sendable {
        /// `[PersistentIdentifier]`: new models.
        case insertedIdentifiers = "inserted"
        /// `[PersistentIdentifier]`: changed models.
        case updatedIdentifiers = "updated"
        /// `[PersistentIdentifier]`: deleted models.
        case deletedIdentifiers = "deleted"
    }

    private func post(_ name: Notification.Name, _ info: [String: [PersistentIdentifier]]) {
        NotificationCenter.default.post(name: name, object: self, userInfo: info)
    }
}

extension ModelContext: ContextObserver {
    func context(_ context: ManagedObjectContext, didChange changes: EventChanges) {
        for object in changes.updated + changes.refreshed {
            guard let object = object as? BackingData, let home = object.home,
                let model = object.instance.flatMap(home.entity.model),
                model.persistentBackingData.registrar != nil
            else { continue }
            for property in home.entity.properties.values { property.notify(model) }
        }
    }

    func context(_ context: ManagedObjectContext, didSave changes: EventChanges) {
        func identifiers(_ objects: [ManagedObject]) -> [PersistentIdentifier] {
            PersistentIdentifier.all(objects.map(\.objectID).sorted { $0.precedes($1) })
        }
        let info: [NotificationKey: [PersistentIdentifier]] = [
            .insertedIdentifiers: identifiers(changes.inserted),
            .updatedIdentifiers: identifiers(changes.updated),
            .deletedIdentifiers: identifiers(changes.deleted),
        ]
        post(
            Self.didSave,
            Dictionary(info.map { ($0.rawValue, $1) }, uniquingKeysWith: { first, _ in first }))
    }
}
