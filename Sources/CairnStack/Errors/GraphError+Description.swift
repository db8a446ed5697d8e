import CairnModel
import Foundation

extension GraphError: CustomStringConvertible {
    /// A message that says what failed, for what, why, and what to do next. Never contains stored
    /// values, and no control characters, not even those of file names.
    public var description: String {
        switch self {
        case .store(let error): error.description
        case .model(let error): error.description
        case .predicate(let error): "\(error)"
        case .classDoesNotFit(let misfits):
            misfits.map { VisibleText.line($0.description) }.joined(separator: "\n")
        default: VisibleText.line(text)
        }
    }

    private var text: String {
        switch self {
        case .fetchCancelled:
            "The fetch was cancelled because its task was cancelled. Run it again if you still need"
                + " its results."
        case .saveCancelled:
            "The save was cancelled, so nothing was saved. If the context still exists, it has its"
                + " changes, and you can save again. Otherwise, repeat the work."
        case .openingCancelled:
            "Opening a store was cancelled because its task was cancelled. The store was not added."
                + " Add it again if you still need it."
        case .validation(let failures):
            "\(failures.count.counted("validation rule")) of the model failed: "
                + failures.map(\.description).joined(separator: "; ")
                + ". Correct the values and save again."
        case .mergeConflicts(let conflicts):
            "\(conflicts.count.counted("object")) changed elsewhere after the context had read \(conflicts.count == 1 ? "it" : "them"): "
                + conflicts.map(\.description).joined(separator: "; ")
                + ". Nothing was saved. Do the work again in a new context, refresh the objects and save"
                + " again, or set a merge policy."
        case .referenceConflicts(let conflicts):
            "\(conflicts.count.counted("relationship")) would be broken, because others have saved since"
                + " the context read its objects: "
                + conflicts.map(\.description).joined(separator: "; ")
                + ". Nothing was saved. Do the work again in a new context, refresh the objects and save"
                + " again, or set a merge policy."
        case .constraintConflicts(let conflicts):
            "\(conflicts.count.counted("uniqueness constraint")) would be violated: "
                + conflicts.map(\.description).joined(separator: "; ")
                + ". Nothing was saved. Change the values and save again, or set a merge policy."
        case .batchRefused(let entity, let reason):
            "The batch of “\(entity)” was refused: \(reason)."
        case .mergePolicyFailed(let error):
            "The context's merge policy did not resolve the conflicts of a save, so nothing was saved:"
                + " \(error)."
        case .unknownEntity(let name, let known):
            Self.unknownEntity(name, among: known)
        case .unknownProperty(let entity, let name, let nearest):
            "\(entity) has no property “\(name)”."
                + (nearest.map { " Did you mean “\($0)”?" } ?? "")
        case .unknownFetchRequestTemplate(let name, let nearest):
            "The model has no fetch request template “\(name)”."
                + (nearest.map { " Did you mean “\($0)”?" } ?? "")
        case .fetchRequestTemplate(let name, let reason):
            "No fetch request can be made from the template “\(name)”. \(reason)"
        case .wrongType(let entity, let property, let expected, let found):
            "\(entity).\(property) was given the wrong kind of value: expected \(expected), but found"
                + " \(found)."
        case .transformation(let failure): failure.description
        case .abstractEntity(let name):
            "The entity \(name) is abstract, so it has no objects of its own. Insert an object of one of"
                + " its subentities."
        default: descriptionOfStack
        }
    }

    private static func gone(_ id: ObjectID, _ reason: AbsenceReason) -> String {
        switch reason {
        case .deletedHere:
            "The object \(id) has no values, because its context deleted it. Stop using it, or undo the"
                + " deletion."
        case .deletedElsewhere:
            "The object \(id) has no values, because another context or another program deleted it."
                + " Fetch again, and expect that it is missing."
        case .leftContext:
            "The object \(id) has no values, because its context was reset or deallocated. Fetch it by its"
                + " ID in a context that is in use."
        case .notInStore:
            "The object \(id) is not in its store: it was deleted elsewhere, or it was never saved."
                + " Fetch again, and expect that it is missing."
        }
    }

    private static func unknownEntity(_ name: String, among known: [String]) -> String {
        let nearest = NearestName.of(name, among: known)
        let suggestion = nearest.map { " Did you mean “\($0)”?" } ?? ""
        let list =
            known.isEmpty
            ? "It has no entities."
            : "Its entities are \(known.sorted().joined(separator: ", "))."
        return "The model has no entity “\(name)”.\(suggestion) \(list)"
    }

    private var descriptionOfStack: String {
        switch self {
        case .noStore(let entity, hasStores: false):
            "The coordinator has no stores, so it has no objects of the entity \(entity). Load the"
                + " container's stores, or add a store, first."
        case .noStore(let entity, hasStores: true):
            "No store of the coordinator holds objects of the entity \(entity). Add a store whose"
                + " configuration includes the entity."
        case .entityNotTaken(let entity, let location, let reason):
            "The store \(location) cannot hold objects of the entity \(entity): \(reason)"
        case .storeIsFixed(let id):
            "The object \(id) cannot be assigned to a store: it was saved or has a permanent ID, so it"
                + " already has a store. Move it with the context's move(_:to:) instead."
        case .unknownStore(let name):
            "The store \(name) is not in this coordinator: it was never added, it was removed, or it"
                + " belongs to another coordinator. Add the store first, or discard the changes to its"
                + " objects."
        case .storeAlreadyAdded(let location):
            "The store \(location) is already in this coordinator. Remove it before you add it again."
        case .storeIdentifierTaken(let identifier, let holder, let location):
            "The store \(location) was not added: it has the same identifier (\(identifier)) as"
                + " \(holder), which is already in this coordinator. One file is a copy of the other, or"
                + " both are names of one file. Remove the other store first, or copy the objects to a"
                + " new store."
        case .objectGone(let id, let reason): Self.gone(id, reason)
        case .wrongContext(let id, let detail):
            "The object \(id) belongs to another context, or its deletion was saved, so \(detail). Fetch the"
                + " object by its ID in this context, and use the result."
        case .relationshipAcrossStores(let entity, let relationship, let id, let destination):
            "\(entity).\(relationship) of \(id) would lead to an object in another store,"
                + " \(destination), so nothing was saved or moved. Assign or move both objects to the same"
                + " store, or make the relationship a reference."
        case .savePending(let save):
            "\(save) The save has succeeded nevertheless: it is finished when one of the stores is next"
                + " read or saved to. Until then, the stores accept no other save."
        case .saveOutcomeUnknown(let location, let saved, let reason):
            "It is not known whether \(location) saved its part of a save: \(reason.message)"
                + (saved.isEmpty
                    ? ""
                    : " These stores saved their parts: \(saved.map(\.description).joined(separator: ", ")).")
                + " Fetch the objects again before you save again."
        case .destinationExists(let location):
            "\(location) already exists. Choose another location, or replace the store"
                + " (replacePersistentStore; in the tool, --replace)."
        case .copyCancelled(let location):
            "The copy to \(location) was cancelled. Nothing of the copy remains there."
        case .loading(let failures):
            "\(failures.count.counted("store")) could not be opened: "
                + failures.map(\.reason.description).joined(separator: " ")
        case .resultsWithoutOrder(let entity):
            "A fetched results controller needs its results in an order, but the fetch request for"
                + " \(entity) has no sort descriptor. Add one to the request."
        case .wrongThread(let context, let detail):
            "\(detail) outside a turn of the context “\(context)”. Use the context's perform or"
                + " performAndWait."
        case .waitCycle(let contexts):
            "performAndWait would wait for itself, through these contexts:"
                + " \(contexts.joined(separator: " → ")). Use perform in one of them."
        case .waitCancelled(let context):
            "The task was cancelled while performAndWait waited for a turn of the context “\(context)”."
                + " Its closure did not run."
        default: descriptionOfUse
        }
    }

    private var descriptionOfUse: String {
        switch self {
        case .notConnected:
            "The context has neither a coordinator nor a parent yet. Set its persistentStoreCoordinator"
                + " or its parent first."
        case .connectedTwice(let context, let detail):
            "The context “\(context)” cannot be used any more: it was already connected, and then"
                + " \(detail). Create another context instead."
        case .saveUnderWay(let context):
            "The context “\(context)” is saving. An object's hook or a child context cannot begin another"
                + " save until that save has ended."
        case .hooksNeverSettle(let hook, let entities):
            "The hook “\(hook)” of \(entities.joined(separator: ", ")) still changed objects after 1,000"
                + " rounds, so nothing was saved. In the hook, set a property only if the new value"
                + " differs from the current one."
        case .queryGenerationUnsupported(let reason):
            "The context cannot be pinned to one state: \(reason)"
        case .classWithoutEntity(let name):
            "No entity of the model has the class \(name). If the model is created from classes, pass"
                + " the class to the container. Otherwise, register it for its entity with ObjectClasses."
        case .classOfSeveralEntities(let name, let entities):
            "The class \(name) is the class of several entities: \(entities.joined(separator: ", "))."
                + " Name the entity instead of the class."
        case .classTooLate(let name, let entity):
            "The class \(name) cannot be used for the entity \(entity), because objects of that entity"
                + " were already created with another class. Register the class before the first object"
                + " is created."
        case .storeNeedsFileURL(let type, nil):
            "A store of type \(type) needs the URL of a file. Pass one, or use an in-memory store type."
        case .storeNeedsFileURL(let type, let url?):
            "A store of type \(type) needs the URL of a file, not"
                + " \(url.scheme.map { "a URL of the form “\($0):”" } ?? "a relative URL")."
        case .storeNeedsServiceURL(let type, nil):
            "A store of type \(type) needs the URL of its service. Pass one."
        case .storeNeedsServiceURL(let type, let url?):
            "A store of type \(type) needs the URL of its service, with a scheme and a host or an"
                + " absolute path, not"
                + " \(url.scheme.map { "a URL of the form “\($0):”" } ?? "a relative URL")."
        case .destinationNotDurable(let type):
            "A store of type \(type) exists only in memory and would end with this process. Copy to a"
                + " type whose stores are files."
        case .storesAreNotFiles(let type):
            "A store of type \(type) has no files. Name a type whose stores are files."
        case .copyOntoItself(let location):
            "The store \(location) cannot be copied onto itself. Name another destination."
        default: ""
        }
    }
}

extension GraphError: LocalizedError {
    /// The ``description``. It is also the value of `localizedDescription`.
    public var errorDescription: String? { description }
}

extension ValidationFailure: CustomStringConvertible {
    /// The property, its object, the rule and the code. Never contains the value.
    public var description: String {
        let path = property.map { "\(entity).\($0)" } ?? entity
        return "\(path) of \(object): \(rule) (code \(code))"
    }
}

extension ValidationFailure: LocalizedError {
    /// The ``description``. It is also the value of `localizedDescription`.
    public var errorDescription: String? { description }
}
