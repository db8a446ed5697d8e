import CairnModel
import CairnRows
import CairnStore
import Foundation

/// An error of the object graph.
public enum GraphError: Error, Sendable {
    /// A store, its engine or the operating system reported an error. The context is unchanged.
    case store(StoreError)
    /// The model could not be found, read or compiled, or it lacks the configuration.
    case model(ModelError)
    /// A predicate or a sort could not be read, does not fit the entity, or takes too many steps to
    /// evaluate for a value (`.matchingLimit`).
    case predicate(FetchPredicateError)
    /// The task of a fetch was cancelled. Nothing was changed, and the context and its stores remain
    /// usable.
    case fetchCancelled
    /// The task of a save was cancelled while it waited for other saves, or the save's progress was
    /// cancelled before the commit. Nothing was saved. The context still has its changes.
    case saveCancelled
    /// The task was cancelled before a store was open. The store was not added to its coordinator.
    case openingCancelled
    /// Values or relationships break the model's rules. Contains all violations.
    case validation([ValidationFailure])
    /// Objects of a save were changed or deleted elsewhere since they were read, and the merge policy
    /// does not resolve the conflicts. Contains all conflicts, each with three snapshots. Nothing was
    /// saved.
    case mergeConflicts([MergeConflict])
    /// The save would make relationships lead to objects that are not in the store, or to objects that do not
    /// lead back, because others saved after the context read its objects, and the merge policy does not
    /// resolve the conflicts. Contains all conflicts. Nothing was saved.
    case referenceConflicts([ReferenceConflict])
    /// Objects of a save have values that must be unique but that other objects have as well, and the
    /// merge policy does not resolve the conflicts. Contains all conflicts. Nothing was saved.
    case constraintConflicts([ConstraintConflict])
    /// A batch request would change more than the objects that it is about. Nothing was saved.
    case batchRefused(entity: String, reason: String)
    /// A custom merge policy threw an error. Nothing was saved.
    case mergePolicyFailed(any Error)
    /// The model has no entity of this name. `known` contains the names of its entities.
    case unknownEntity(String, known: [String])
    /// The entity has no property of this name. `nearest` is the most similar name of a property.
    case unknownProperty(entity: String, name: String, nearest: String?)
    /// The model has no fetch request template of this name. `nearest` is the most similar name of a
    /// template.
    case unknownFetchRequestTemplate(String, nearest: String?)
    /// The model's fetch request template of this name cannot be used: its predicate could not be read,
    /// does not fit its entity, or was given other values than its variables need.
    case fetchRequestTemplate(String, FetchPredicateError)
    /// A value does not have the property's type.
    case wrongType(entity: String, property: String, expected: String, found: String)
    /// The value of a transformable attribute could not be read or set: its transformer is not
    /// registered, does not accept the value, or threw an error. The attribute is unchanged.
    case transformation(TransformationFailure)
    /// The entity is abstract, so it has no objects of its own.
    case abstractEntity(String)
    /// No open store holds objects of the entity. `hasStores` is `false` if the coordinator has no store at
    /// all, because none was added or loaded. Otherwise, no store's configuration includes the entity.
    case noStore(entity: String, hasStores: Bool)
    /// The store does not accept objects of the entity.
    case entityNotTaken(entity: String, by: StoreLocation, reason: EntityRefusal)
    /// An object cannot be assigned to a store, because it was saved or has a permanent ID and therefore
    /// already has a store. It can be moved.
    case storeIsFixed(ObjectID)
    /// The store was not added to this coordinator, or was removed.
    case unknownStore(String)
    /// The store is already in the coordinator.
    case storeAlreadyAdded(StoreLocation)
    /// A store was not added, because a store in the coordinator has the same identifier, for example
    /// because one is a copy of the other's file. The IDs of their objects could not be told apart.
    case storeIdentifierTaken(String, by: StoreLocation, refused: StoreLocation)
    /// The object does not have values, for the given reason.
    case objectGone(ObjectID, AbsenceReason)
    /// An object was used with a context that it does not belong to.
    case wrongContext(ObjectID, detail: String)
    /// A relationship would lead from an object in one store to an object in another store. `entity` is
    /// the entity of the first object. Nothing was saved or moved.
    case relationshipAcrossStores(
        entity: String, relationship: String, from: ObjectID, to: ObjectID)
    /// A save to several stores has succeeded, but one of the stores could not be written yet. The
    /// context no longer has changes, so do not save them again. The store completes its part before it
    /// is next read or saved to, in this process or in another one.
    case savePending(InterruptedSave)
    /// The store may or may not have saved its part; read the store to find out. The stores in `saved`
    /// have saved their parts. The stores that would have followed are unchanged. The context still has
    /// all of its changes.
    case saveOutcomeUnknown(StoreLocation, saved: [StoreLocation], reason: EngineFailure)
    /// A file or folder already exists at the destination of a copy of a store. Nothing was changed.
    case destinationExists(StoreLocation)
    /// A copy to this location was cancelled by its progress handler. Nothing of the copy remains.
    case copyCancelled(StoreLocation)
    /// Several stores of a container could not be opened. Contains all failures.
    case loading([StoreLoadingFailure])
    /// A results controller's request has no sort descriptor, so its objects have no order.
    case resultsWithoutOrder(entity: String)
    /// A context or object was used outside its context's `perform`.
    case wrongThread(context: String, detail: String)
    /// `performAndWait` would wait for itself, through these contexts.
    case waitCycle([String])
    /// The context has neither a coordinator nor a parent yet.
    case notConnected
    /// A context that is already connected was given another coordinator or parent, or `nil`. From then
    /// on, it cannot be used for anything that needs its model or its stores.
    case connectedTwice(context: String, detail: String)
    /// The task was cancelled while `performAndWait` waited for a turn of this context. The closure did
    /// not run.
    case waitCancelled(context: String)
    /// The hooks of a save (`prepareForSave` or those of validation) still changed objects of these
    /// entities after a thousand rounds. Nothing was saved.
    case hooksNeverSettle(hook: String, entities: [String])
    /// An object's hook, or a child, began a save while the named context was saving.
    case saveUnderWay(String)
    /// The context cannot be pinned to one state, for the given reason.
    case queryGenerationUnsupported(String)
    /// No entity of the model has objects of this class.
    case classWithoutEntity(String)
    /// Several entities have objects of this class.
    case classOfSeveralEntities(String, entities: [String])
    /// Objects of the entity were already created with another class when this class was requested.
    case classTooLate(String, entity: String)
    /// Classes declare properties that the model does not have, or that the model declares differently.
    /// Contains all misfits.
    case classDoesNotFit([ClassMisfit])
    /// An engine whose stores are files was given no URL, or a URL that is not a file URL. `given` does
    /// not contain the password and the query.
    case storeNeedsFileURL(StoreType, given: URL?)
    /// An engine whose stores belong to a service was given no URL, or a URL that is not a service URL.
    /// `given` does not contain the password and the query.
    case storeNeedsServiceURL(StoreType, given: URL?)
    /// A copy was requested with an engine whose stores end with the process.
    case destinationNotDurable(StoreType)
    /// Files were to be moved or removed, but the engine's stores are not files.
    case storesAreNotFiles(StoreType)
    /// A store was to be copied to its own location.
    case copyOntoItself(StoreLocation)
}

/// The reason why an object has no values. See ``GraphError/objectGone(_:_:)``.
public enum AbsenceReason: Sendable, Hashable {
    /// The context deleted the object, or undid its insertion.
    case deletedHere
    /// Another context or another program deleted the object, and the context has learned of it.
    case deletedElsewhere
    /// The object's context was reset or deallocated. The object may still be in its store.
    case leftContext
    /// The store does not contain the object. It was deleted elsewhere, or it was never saved.
    case notInStore
}

/// The reason why a store does not accept objects of an entity.
public enum EntityRefusal: Sendable, Hashable {
    /// The configuration that the store was added with does not include the entity.
    case notInConfiguration(String)
    /// The configuration includes the entity, but the store was written with an earlier version of the
    /// model that did not, and it was not migrated.
    case addedToModelLater
}

extension EntityRefusal: CustomStringConvertible {
    /// The reason, and how to resolve it.
    public var description: String {
        switch self {
        case .notInConfiguration(let name):
            "its configuration “\(name)” does not include that entity. Assign the object to a store whose"
                + " configuration does."
        case .addedToModelLater:
            "it was written with a version of the model that did not have that entity. Add the store with"
                + " the options migratePersistentStoresAutomatically and"
                + " inferMappingModelAutomatically, or assign the object to another store."
        }
    }
}

// MARK: - Errors of stores

// Engines, and the parts of this module that work with them, throw `StoreError`. Only the files that are
// called by the object graph convert them to `GraphError`. `ErrorBoundaryTests` lists these files.

extension GraphError {
    /// Creates the error of a call whose store threw `error`. A predicate that cannot be evaluated
    /// becomes `.predicate`, and a cancellation becomes `.fetchCancelled`.
    package init(ofStore error: StoreError) {
        self =
            switch error {
            case .predicate(let error): .predicate(error)
            case .cancelled: .fetchCancelled
            default: .store(error)
            }
    }

    /// Creates the error of a save whose store threw `error`. A cancellation becomes `.saveCancelled`.
    init(ofSave error: StoreError) {
        self = if case .cancelled = error { .saveCancelled } else { GraphError(ofStore: error) }
    }

    /// Creates the error of opening a store that threw `error`. A cancellation becomes
    /// `.openingCancelled`.
    init(ofOpening error: StoreError) {
        self = if case .cancelled = error { .openingCancelled } else { GraphError(ofStore: error) }
    }
}

extension GraphError {
    /// - Parameter error: Why a row could not be packed.
    package init(_ error: RowError) {
        switch error {
        case .wrongType(let entity, let property, let expected):
            self = .wrongType(
                entity: entity, property: property, expected: "a value of type \(expected)",
                found: "a value of another type")
        case .tooLarge(let entity, let property):
            self = .store(
                .unsupportedValue(
                    entity: entity, attribute: property, reason: "its row would exceed 2 GiB"))
        }
    }
}
