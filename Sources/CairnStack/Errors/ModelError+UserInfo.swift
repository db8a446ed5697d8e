import CairnModel
import Foundation

extension ModelError: CustomNSError {
    /// Core Data's domain, `NSCocoaErrorDomain`.
    public static var errorDomain: String { NSCocoaErrorDomain }
    /// Foundation's code if a file is missing, cannot be read or written, or exists already. Otherwise,
    /// Core Data's general code, 134060.
    public var errorCode: Int { ErrorCodes.code(of: self) }
    /// The description, and the file or the entity that the error concerns.
    public var errorUserInfo: [String: Any] { userInfo.values }

    var userInfo: ErrorUserInfo {
        var info = ErrorUserInfo(description)
        switch self {
        case .unreadable(let file, let location, let detail):
            info.add(path: file.path)
            info.add(reason: "\(location): \(detail)")
        case .unsupportedForm(let file, let form, _):
            info.add(path: file.path)
            info.add(reason: form)
        case .exists(let file): info.add(path: file.path)
        case .unwritable(let file, let detail):
            info.add(path: file.path)
            info.add(reason: detail)
        case .unrepresentable(_, let changes, _):
            info.add(reason: changes.joined(separator: "; "))
        case .mergeConflict(let entity): info.add(entity: entity)
        case .invalid, .notFound, .unknownConfiguration: break
        }
        return info
    }
}

extension FetchPredicateError: CustomNSError {
    /// Core Data's domain, `NSCocoaErrorDomain`.
    public static var errorDomain: String { NSCocoaErrorDomain }
    /// Core Data's general code, 134060.
    public var errorCode: Int { CocoaCode.general }
    /// The description, and the entity and the property if the error has them.
    public var errorUserInfo: [String: Any] {
        var info = ErrorUserInfo(description)
        switch self {
        case .unknownKey(let key, let entity, _), .transientKey(let key, let entity):
            info.add(entity: entity, property: key)
        default: break
        }
        return info.values
    }
}
