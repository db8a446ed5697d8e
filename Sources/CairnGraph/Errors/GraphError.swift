import CairnModel
import CairnStore
import Foundation

/// Why the object graph could not do what was asked.
public enum GraphError: Error, Sendable {
    /// A store, its engine or the system refused; the context is as it was.
    case store(StoreError)
    /// The model could not be found, read or compiled, or lacks the configuration.
    case model(ModelError)
    /// A predicate or a sort could not be read, does not fit the entity, or takes too many steps on a
    /// value (`.matchingLimit`).
    case predicate(FetchPredicateError)
    /// The task of a fetch was cancelled. Nothing was changed: the context and its stores can be used as
    /// before.
    case fetchCancelled
    /// The task of a save was cancelled while it waited for others who save, or the save's progress was
    /// cancelled before the commit. Nothing was saved; the context still holds its changes.
    case saveCancelled
    /// The task was cancelled before a store was open. The store was not added to its coordinator.
    case openingCancelled
    /// Values or relationships break the model's rules. Lists every violation, not the first.
    case validation([ValidationFailure])
    /// Others changed or deleted objects of a save since they were read, and the merge policy does
    /// not say what is to count. Lists every one, with the three snapshots. Nothing was saved.
    case mergeConflicts([MergeConflict])
    /// Objects of a save share values with others that must occur once, and the merge policy does
    /// not say which keep them. Lists every clash. Nothing was saved.
    case constraintConflicts([ConstraintConflict])
    /// A merge policy of the program's own threw. Nothing was saved.
    case mergePolicyFailed(any Error)
    /// The model has no entity of this name. `known` lists those it has.
    case unknownEntity(String, known: [String])
    /// The entity has no property of this name. `nearest` is the most similar known one.
    case unknownProperty(entity: String, name: String, nearest: String?)
    /// The model has no fetch request template of this name. `nearest` is the most similar known one.
    case unknownFetchRequestTemplate(String, nearest: String?)
    /// The model's fetch request template of this name gives no request: its predicate could not be read,
    /// does not fit its entity, or was given other values than its variables need.
    case fetchRequestTemplate(String, FetchPredicateError)
    /// A value is not of the property's type.
    case wrongType(entity: String, property: String, expected: String, found: String)
    /// The value of a transformable attribute could not be read or set: its transformer is not registered,
    /// takes other values, or threw. The attribute is as it was.
    case transformation(TransformationFailure)
    /// An abstract entity has no objects of its own.
    case abstractEntity(String)
    /// No open store holds objects of the entity. Add one whose configuration names it.
    case noStore(entity: String)
    /// The store does not take objects of the entity. The reason says why.
    case entityNotTaken(entity: String, by: StoreLocation, reason: EntityRefusal)
    /// An object that has a store, because it was saved or has a permanent ID, was assigned to a store.
    case storeIsFixed(ObjectID)
    /// The store was not added to this coordinator, or was removed.
    case unknownStore(String)
    /// A store is in the coordinator already.
    case storeAlreadyAdded(StoreLocation)
    /// A store has the identifier of another one that is in the coordinator, as a copied file has. It
    /// was not added: the IDs of its objects could not be told from those of the other one.
    case storeIdentifierTaken(String, by: StoreLocation, refused: StoreLocation)
    /// The object no longer has values: it is not in its store, or its context was reset or
    /// deallocated.
    case objectGone(ObjectID)
    /// An object was used with a context that it does not belong to.
    case wrongContext(ObjectID, detail: String)
    /// A relationship would lead from an object of one store to an object of another one. The entity is
    /// that of the first object. Nothing was saved.
    case relationshipAcrossStores(
        entity: String, relationship: String, from: ObjectID, to: ObjectID)
    /// A save over several stores has taken place, but one of the stores could not be written yet. The
    /// context no longer has changes: do not save them again. The store completes its part before it is
    /// next read or saved to, in this process or another one.
    case savePending(InterruptedSave)
    /// The store may or may not have saved its part: read it to find out. The stores in `saved` have
    /// saved theirs before; the stores that were to follow are unchanged. The context still has all of
    /// its changes.
    case saveOutcomeUnknown(StoreLocation, saved: [StoreLocation], reason: EngineFailure)
    /// Something exists at the destination of a copy of a store. Nothing was changed.
    case destinationExists(StoreLocation)
    /// A copy to this location was cancelled by its progress handler. Nothing of the copy is left.
    case copyCancelled(StoreLocation)
    /// Several stores of a container could not be opened. Lists all of them.
    case loading([StoreLoadingFailure])
    /// A results controller's request has no sort descriptor, so its objects have no order.
    case resultsWithoutOrder(entity: String)
    /// A context or object was used outside of its context's `perform`.
    case wrongThread(context: String, detail: String)
    /// `performAndWait` would wait for itself through these contexts.
    case waitCycle([String])
    /// The context has neither a coordinator nor a parent yet.
    case notConnected
    /// A context that is already connected was given another coordinator or parent, or `nil`. From then
    /// on, it cannot be used for anything that needs its model or its stores.
    case connectedTwice(context: String, detail: String)
    /// The task was cancelled while `performAndWait` waited for a turn of this context. Its body did
    /// not run.
    case waitCancelled(context: String)
    /// The hooks of a save, `prepareForSave` or those of validation, still changed objects of these entities
    /// after a thousand rounds. Nothing was saved.
    case hooksNeverSettle(hook: String, entities: [String])
    /// A save was begun by an object's hook, or by a child, while the named context is saving.
    case saveUnderWay(String)
    /// The context cannot be pinned to one state: of what it stands on, as the text says.
    case queryGenerationUnsupported(String)
    /// No entity of the model has objects of this class.
    case classWithoutEntity(String)
    /// Several entities have objects of this class.
    case classOfSeveralEntities(String, entities: [String])
    /// Objects of the entity were made with another class before this one was asked for.
    case classTooLate(String, entity: String)
    /// The class has accessors for properties that the entity does not have in this model.
    case classOfAnotherModel(String, entity: String, unknown: [String])
    /// A class declares properties that the model does not have, or has as others. Lists every one.
    case classDoesNotFit([ClassMisfit])
    /// An engine that keeps files was given no URL, or one that is not a file's. `given` has neither
    /// the password nor the query.
    case storeNeedsFileURL(StoreType, given: URL?)
    /// An engine whose stores belong to a service was given no URL, or one that is not a service's.
    /// `given` has neither the password nor the query.
    case storeNeedsServiceURL(StoreType, given: URL?)
    /// A copy was to be made with an engine whose stores end with the process.
    case copyWouldNotLast(StoreType)
    /// Files were to be moved or removed, but the engine's stores are not files.
    case keepsNoFiles(StoreType)
    /// A store was to be copied to its own location.
    case copyOntoItself(StoreLocation)
}
