import CairnModel
import Foundation

extension GraphError: CustomNSError {
    /// Core Data's domain, `NSCocoaErrorDomain`.
    public static var errorDomain: String { NSCocoaErrorDomain }
    /// The ``code``.
    public var errorCode: Int { code }
    /// The description, the affected stores, entities and objects, and the underlying errors, under Core
    /// Data's keys. Never contains stored values.
    public var errorUserInfo: [String: Any] { userInfo.values }

    private var userInfo: ErrorUserInfo {
        var info = ErrorUserInfo(description)
        switch self {
        case .store(let error): info.merge(error.userInfo)
        case .model(let error): info.merge(error.userInfo)
        case .validation(let failures):
            if failures.count == 1 { info.merge(failures[0].userInfo) }
            info.add(objects: failures.map(\.object))
            if failures.count > 1 { info.add(details: failures) }
        case .mergeConflicts(let conflicts):
            info.add(conflicts: conflicts)
            info.add(objects: conflicts.map(\.objectID))
        case .referenceConflicts(let conflicts): info.add(conflicts)
        case .constraintConflicts(let conflicts):
            info.add(conflicts: conflicts)
            info.add(objects: conflicts.flatMap(\.conflictingObjects))
        case .mergePolicyFailed(let error): info.add(underlying: error)
        case .fetchRequestTemplate(_, let reason): info.add(underlying: reason)
        case .unknownEntity(let entity, _), .abstractEntity(let entity), .noStore(let entity, _),
            .resultsWithoutOrder(let entity), .classTooLate(_, let entity):
            info.add(entity: entity)
        case .unknownProperty(let entity, let property, _),
            .wrongType(let entity, let property, _, _):
            info.add(entity: entity, property: property)
        case .relationshipAcrossStores(let entity, let relationship, let id, let destination):
            info.add(entity: entity, property: relationship)
            info.add(objects: [id, destination])
        case .entityNotTaken(let entity, let location, _):
            info.add(entity: entity)
            info.add(stores: [location])
        case .storeIdentifierTaken(_, let holder, let location):
            info.add(stores: [location, holder])
        case .transformation(let failure):
            info.add(entity: failure.entity, property: failure.attribute)
            if case .failed(let error) = failure.reason { info.add(underlying: error) }
        case .storeAlreadyAdded(let location), .destinationExists(let location),
            .copyCancelled(let location), .copyOntoItself(let location):
            info.add(stores: [location])
        case .objectGone(let id, _), .wrongContext(let id, _), .storeIsFixed(let id):
            info.add(objects: [id])
        case .savePending(let save):
            info.add(stores: save.stores)
            info.add(reason: save.detail)
        case .saveOutcomeUnknown(let location, _, let reason):
            info.add(reason)
            info.add(stores: [location])
        case .loading(let failures): info.add(details: failures.map(\.reason))
        default: break
        }
        return info
    }
}

extension ValidationFailure: CustomNSError {
    /// Core Data's domain, `NSCocoaErrorDomain`.
    public static var errorDomain: String { NSCocoaErrorDomain }
    /// The ``code``.
    public var errorCode: Int { code }
    /// The description, the object's ID, the entity, the property, and the rule as a string, under Core
    /// Data's keys. Never contains stored values.
    public var errorUserInfo: [String: Any] { userInfo.values }

    fileprivate var userInfo: ErrorUserInfo {
        var info = ErrorUserInfo(description)
        info.add(entity: entity, property: property)
        info.add(broken: rule, by: object, property: property)
        return info
    }
}

extension StoreLoadingFailure: CustomNSError {
    /// Core Data's domain, `NSCocoaErrorDomain`.
    public static var errorDomain: String { NSCocoaErrorDomain }
    /// The code of ``reason``.
    public var errorCode: Int { reason.errorCode }
    /// The user info of ``reason``.
    public var errorUserInfo: [String: Any] { reason.errorUserInfo }
}
