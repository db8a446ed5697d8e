import CairnModel
import CairnStore
import Foundation

extension GraphError: CustomStringConvertible {
    /// A message that says what failed, for what, why, and what to do next. Never contains stored
    /// values.
    public var description: String {
        switch self {
        case .store(let error): error.description
        case .model(let error): error.description
        case .predicate(let error): "\(error)"
        case .fetchCancelled:
            "The fetch was cancelled together with its task. Run it again if it is needed."
        case .saveCancelled:
            "The save was cancelled and nothing was saved. The context has its changes: save again."
        case .openingCancelled:
            "The opening of a store was cancelled together with its task, and the store was not added. "
                + "Add it again if it is needed."
        case .validation(let failures):
            "\(failures.count) rule(s) of the model are broken: "
                + failures.map(\.description).joined(separator: "; ")
                + ". Correct the values and save again."
        case .mergeConflicts(let conflicts):
            "\(conflicts.count) object(s) were changed elsewhere: "
                + conflicts.map(\.description).joined(separator: "; ")
                + ". Refresh them and save again, or set a merge policy."
        case .constraintConflicts(let conflicts):
            "\(conflicts.count) set(s) of values must occur once: "
                + conflicts.map(\.description).joined(separator: "; ")
                + ". Change the values and save again, or set a merge policy."
        case .mergePolicyFailed(let error):
            "The context's merge policy refused to resolve the conflicts of a save: \(error)."
        case .unknownEntity(let name, let known):
            "The model has no entity “\(name)”; it has \(known.sorted().joined(separator: ", "))."
                + (NearestName.of(name, among: known).map { " Did you mean “\($0)”?" } ?? "")
        case .unknownProperty(let entity, let name, let nearest):
            "\(entity) has no property “\(name)”."
                + (nearest.map { " Did you mean “\($0)”?" } ?? "")
        case .unknownFetchRequestTemplate(let name, let nearest):
            "The model has no fetch request template “\(name)”."
                + (nearest.map { " Did you mean “\($0)”?" } ?? "")
        case .fetchRequestTemplate(let name, let reason):
            "The fetch request template “\(name)” gives no request. \(reason)"
        case .wrongType(let entity, let property, let expected, let found):
            "\(entity).\(property) takes \(expected), not \(found)."
        case .transformation(let failure): failure.description
        case .abstractEntity(let name):
            "\(name) is abstract and has no objects of its own. Insert one of a subentity."
        default: descriptionOfStack
        }
    }

    private var descriptionOfStack: String {
        switch self {
        case .noStore(let entity):
            "No open store holds objects of \(entity)."
                + " Add a store whose configuration names the entity."
        case .entityNotTaken(let entity, let location, let reason):
            "The store \(location) takes no objects of \(entity): \(reason)"
        case .storeIsFixed(let id):
            "The object \(id) has a store already: it was saved, or has a permanent ID. Insert a new"
                + " object, assign that one, and delete this one."
        case .unknownStore(let name):
            "The store \(name) is not in this coordinator: it was removed, or belongs to another one."
                + " Add it first, or forget the changes of its objects."
        case .storeAlreadyAdded(let location):
            "The store \(location) is in this coordinator already. Remove it first."
        case .storeIdentifierTaken(let identifier, let holder, let location):
            "The store \(location) was not added: it has the identifier of \(holder), which is in this"
                + " coordinator (\(identifier)). One is a copy of the other's file, or another name of"
                + " it. Remove the other one first, or copy its objects to a new store."
        case .objectGone(let id):
            "The object \(id) has no values: it was deleted, or its context was reset or released."
                + " Fetch it by its ID in a context that is in use."
        case .wrongContext(let id, let detail):
            "The object \(id) belongs to another context: \(detail). Fetch it by its object ID."
        case .relationshipAcrossStores(let entity, let relationship, let id, let destination):
            "\(entity).\(relationship) of \(id) would lead to an object of another store,"
                + " \(destination); nothing was saved."
                + " Assign both objects to one store, or keep the other's URI."
        case .savePending(let save):
            "\(save) It has taken place all the same: it is finished when one of the stores is next saved"
                + " to or read. Until then they take no other save."
        case .saveOutcomeUnknown(let location, let saved, let reason):
            "Whether \(location) took its part of a save is not known: \(reason.message)"
                + (saved.isEmpty
                    ? "" : " \(saved.map(\.description).joined(separator: ", ")) took theirs.")
                + " Fetch the objects again before saving again."
        case .destinationExists(let location):
            "\(location) exists already. Choose another location, or have it replaced."
        case .copyCancelled(let location):
            "The copy to \(location) was cancelled; nothing was left there."
        case .loading(let failures):
            "\(failures.count) stores could not be opened: "
                + failures.map(\.reason.description).joined(separator: " ")
        case .resultsWithoutOrder(let entity):
            "The results of \(entity) have no order. Give the fetch request a sort descriptor."
        case .wrongThread(let context, let detail):
            "\(detail) outside of \(context). Use its perform or performAndWait."
        case .waitCycle(let contexts):
            "performAndWait would wait for itself: \(contexts.joined(separator: " → "))."
                + " Use perform in one of them."
        case .waitCancelled(let context):
            "The task was cancelled while it waited for a turn of \(context); nothing was done there."
        default: descriptionOfUse
        }
    }

    private var descriptionOfUse: String {
        switch self {
        case .notConnected:
            "The context has no coordinator yet. Set its persistentStoreCoordinator or its parent first."
        case .connectedTwice(let context, let detail):
            "\(context) is connected already, and \(detail). Make another context instead."
        case .saveUnderWay(let context):
            "\(context) is saving; a hook of an object, or a child, cannot begin another save."
        case .hooksNeverSettle(let hook, let entities):
            "The hooks “\(hook)” of \(entities.joined(separator: ", ")) still changed objects after 1,000"
                + " rounds, so nothing was saved. Change a value only if it is another one."
        case .queryGenerationUnsupported(let reason):
            "The context cannot be pinned to one state: \(reason)"
        case .classWithoutEntity(let name):
            "No entity has the class \(name). Register it under the model's class name."
        case .classOfSeveralEntities(let name, let entities):
            "The class \(name) stands for \(entities.joined(separator: ", "))."
                + " Insert by the entity's name."
        case .classTooLate(let name, let entity):
            "Objects of \(entity) exist already with another class than \(name)."
                + " Register the class before the first object is made."
        case .classOfAnotherModel(let name, let entity, let unknown):
            "The class \(name) has accessors for \(unknown.joined(separator: ", ")),"
                + " which objects of \(entity) do not have in this model. Generate it"
                + " again, or use the model that it was made for."
        case .classDoesNotFit(let misfits):
            misfits.map(\.description).joined(separator: "\n")
        case .storeNeedsFileURL(let type, nil):
            "A store of type \(type) needs a URL. Give one, or use an in-memory type."
        case .storeNeedsFileURL(let type, let url?):
            "A store of type \(type) needs a file URL, not \(url.scheme ?? "a relative one")."
        case .storeNeedsServiceURL(let type, nil):
            "A store of type \(type) needs the URL of its service. Give one."
        case .storeNeedsServiceURL(let type, let url?):
            "A store of type \(type) needs the URL of its service, with a scheme and a host or an"
                + " absolute path, not \(url.scheme.map { "a URL of the form “\($0):”" } ?? "a relative one")."
        case .destinationNotDurable(let type):
            "A store of type \(type) is gone with the process. Copy to a type that keeps files."
        case .storesAreNotFiles(let type):
            "A store of type \(type) keeps no files. Name a type that does."
        case .copyOntoItself(let location):
            "\(location) cannot be copied onto itself. Name another destination."
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
