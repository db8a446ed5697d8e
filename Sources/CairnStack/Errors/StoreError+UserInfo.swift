import CairnModel
import CairnStore
import Foundation

extension StoreError: CustomNSError {
    /// Core Data's domain, `NSCocoaErrorDomain`.
    public static var errorDomain: String { NSCocoaErrorDomain }
    /// Core Data's code (`CoreDataErrors.h`), or Foundation's code for a file.
    public var errorCode: Int { ErrorCodes.code(of: self) }
    /// The description, the affected store, entity and objects, and the error code of the operating
    /// system or of the engine's library, under Core Data's keys. Never contains stored values.
    public var errorUserInfo: [String: Any] { userInfo.values }

    var userInfo: ErrorUserInfo {
        var info = ErrorUserInfo(description)
        switch self {
        case .notFound(let location), .unrecognized(let location, _, _),
            .unsupported(let location, _, _), .readOnly(let location), .closed(let location),
            .busy(let location, _), .locked(let location, _), .hardLinked(let location, _),
            .sourceModelMissing(let location), .mappingModelNeeded(let location, _),
            .spaceMissing(let location, _, _), .saveNameTooSmall(let location, _):
            info.add(stores: [location])
        case .folderMissing(let location, _):
            info.add(stores: [location])
            info.add(reason: "Failed to create file; code = \(ENOENT)")
        case .notAStore(let location, _, let found):
            info.add(stores: [location])
            info.add(reason: "it looks like \(found)")
        case .modelMismatch(let location, let differences):
            info.add(stores: [location])
            info.add(differences)
        case .migrationRefused(let location, let findings):
            info.add(stores: [location])
            info.add(reason: findings.map(\.description).joined(separator: "; "))
        case .fileRemoved(let location, let path), .fileReplaced(let location, let path):
            info.add(stores: [location])
            info.add(path: path)
        case .corrupt(let store, let location, let detail):
            info.add(stores: [store])
            info.add(reason: "\(location): \(detail)")
        case .invalidOption(let option, let detail): info.add(reason: "\(option): \(detail)")
        case .rowConflicts(let conflicts): info.add(objects: conflicts.map(\.id))
        case .referenceConflicts(let conflicts): info.add(conflicts)
        case .unsupportedValue(let entity, let attribute, let reason):
            info.add(entity: entity, property: attribute)
            info.add(reason: reason)
        case .keysExhausted(let entity): info.add(entity: entity)
        case .savePending(let save), .saveInDoubt(let save):
            info.add(stores: save.stores)
            info.add(reason: save.detail)
        case .externalDataMissing(_, let path): info.add(path: path)
        case .fileFailure(let failure): info.add(failure)
        case .engineFailure(let failure), .commitOutcomeUnknown(let failure): info.add(failure)
        case .unknownType, .uniquenessConflicts, .predicate, .cancelled, .deadlineExceeded: break
        }
        return info
    }
}
