import CairnModel
import CairnStore
import Foundation

/// The codes of `NSCocoaErrorDomain` that Cairn's errors use, and the table that gives each error its code and
/// its user info: see ``CodedError``.
///
/// The codes are those of Core Data (`CoreDataErrors.h`) and of Foundation (`FoundationErrors.h`). If Core Data
/// reports the failure as an error, the code is Core Data's. If Core Data raises an exception, for example for
/// an unknown entity, the code is that of a general error. The keys of the user info are Core Data's and
/// Foundation's as well. Like the descriptions of errors, it never contains stored values.
package enum ErrorCode {
    static let fileReadNoSuchFile = 260
    static let fileReadCorruptFile = 259
    static let fileWriteUnknown = 512
    static let fileWriteNoPermission = 513
    static let fileWriteFileExists = 516
    static let fileWriteOutOfSpace = 640
    static let fileWriteVolumeReadOnly = 642
    static let userCancelled = 3_072
    /// An archive cannot be read.
    static let coderReadCorrupt = 4_864
    /// A lock of a context cannot be taken.
    static let contextLocking = 132_000
    /// A fault refers to an object that its store does not contain.
    static let referentialIntegrity = 133_000
    /// A relationship refers to an object in another store.
    static let externalRelationship = 133_010
    static let merge = 133_020
    static let constraintMerge = 133_021
    /// No engine supports the type, the format or the version of the store.
    static let storeInvalidType = 134_000
    /// The store does not have the type that it was opened with.
    static let storeTypeMismatch = 134_010
    static let storeSave = 134_030
    /// Only some of several stores were saved.
    static let storeIncompleteSave = 134_040
    /// Core Data's code for errors without a specific code.
    static let general = 134_060
    static let storeOperation = 134_070
    static let storeOpen = 134_080
    static let storeTimeout = 134_090
    /// The hashes of the model and of the store differ.
    static let incompatibleVersionHash = 134_100
    static let migration = 134_110
    static let migrationMissingSourceModel = 134_130
    static let migrationMissingMappingModel = 134_140
    static let sqlite = 134_180
    static let inferredMapping = 134_190
    /// The history does not reach back to a token, or the token is not one of this history.
    static let historyTokenExpired = 134_301

    // MARK: Broken rules of the model

    /// A validation hook or a predicate of the model refuses the value.
    package static let refusedValue = 1550
    /// Several rules are broken. Each of them has its own code.
    static let multipleRules = 1560
    package static let missingValue = 1570
    package static let tooFewMembers = 1580
    package static let tooManyMembers = 1590
    package static let relationshipDenied = 1600
    package static let numberTooLarge = 1610
    package static let numberTooSmall = 1620
    package static let dateTooLate = 1630
    package static let dateTooSoon = 1640
    package static let textTooLong = 1660
    package static let textTooShort = 1670
    package static let textDoesNotMatch = 1680
}

// MARK: - The code of each error

extension ErrorCode {
    static func of(_ error: any Error) -> Int {
        switch error {
        case let error as GraphError: of(error)
        case let error as StoreError: of(error)
        case let error as ModelError: of(error)
        case let error as StoreLoadingFailure: of(error.reason)
        case let error as ValidationFailure: error.code
        default: general
        }
    }

    static func of(_ error: GraphError) -> Int {
        switch error {
        case .store(let error): of(error)
        case .model(let error): of(error)
        case .predicate: general
        case .fetchCancelled, .saveCancelled, .openingCancelled, .copyCancelled, .waitCancelled:
            userCancelled
        case .validation(let failures):
            failures.count == 1 ? failures[0].code : multipleRules
        case .mergeConflicts, .referenceConflicts, .mergePolicyFailed: merge
        case .constraintConflicts: constraintMerge
        case .objectGone: referentialIntegrity
        case .relationshipAcrossStores: externalRelationship
        case .savePending: storeIncompleteSave
        case .saveOutcomeUnknown: storeSave
        case .destinationExists: fileWriteFileExists
        case .wrongThread, .waitCycle, .saveUnderWay: contextLocking
        case .storeAlreadyAdded, .storeIdentifierTaken, .loading, .storeNeedsFileURL,
            .storeNeedsServiceURL:
            storeOpen
        case .transformation(let failure):
            failure.direction == .reading ? coderReadCorrupt : general
        case .destinationNotDurable, .storesAreNotFiles, .copyOntoItself, .noStore, .entityNotTaken,
            .unknownStore, .queryGenerationUnsupported:
            storeOperation
        case .unknownEntity, .unknownProperty, .unknownFetchRequestTemplate, .fetchRequestTemplate,
            .wrongType, .abstractEntity, .wrongContext, .storeIsFixed,
            .resultsWithoutOrder, .classWithoutEntity, .classOfSeveralEntities, .classTooLate,
            .classDoesNotFit, .notConnected, .connectedTwice, .hooksNeverSettle, .batchRefused:
            general
        }
    }

    static func of(_ error: StoreError) -> Int {
        switch error {
        case .notFound, .externalDataMissing: fileReadNoSuchFile
        case .folderMissing: fileWriteUnknown
        case .readOnly: fileWriteNoPermission
        case .corrupt: fileReadCorruptFile
        case .fileFailure(let failure): of(systemError: failure.code)
        case .notAStore: storeTypeMismatch
        case .unrecognized, .unknownType, .unsupported: storeInvalidType
        case .modelMismatch: incompatibleVersionHash
        case .migrationRefused(_, let findings):
            findings.contains(where: \.isOfModels) ? inferredMapping : migration
        case .migrationFailed: migration
        case .sourceModelMissing: migrationMissingSourceModel
        case .mappingModelNeeded: migrationMissingMappingModel
        case .spaceMissing: fileWriteOutOfSpace
        case .invalidOption, .locked, .hardLinked: storeOpen
        case .busy, .deadlineExceeded: storeTimeout
        case .closed: storeOperation
        case .fileRemoved, .fileReplaced, .unsupportedValue, .keysExhausted, .commitOutcomeUnknown,
            .saveNameTooSmall:
            storeSave
        case .rowConflicts, .referenceConflicts: merge
        case .uniquenessConflicts: constraintMerge
        case .savePending, .saveInDoubt: storeIncompleteSave
        case .historyUnavailable: historyTokenExpired
        case .predicate: general
        case .cancelled: userCancelled
        case .engineFailure(let failure):
            failure.type == "SQLite" ? sqlite : storeOperation
        }
    }

    static func of(_ error: ModelError) -> Int {
        switch error {
        case .notFound: fileReadNoSuchFile
        case .unreadable, .unsupportedForm: fileReadCorruptFile
        case .exists: fileWriteFileExists
        case .unwritable: fileWriteUnknown
        case .invalid, .mergeConflict, .unknownConfiguration, .unrepresentable: general
        }
    }

    /// Returns the code for a file operation that failed with this `errno`.
    private static func of(systemError number: Int32) -> Int {
        switch number {
        case EACCES, EPERM: fileWriteNoPermission
        case EEXIST: fileWriteFileExists
        case ENOENT: fileReadNoSuchFile
        case ENOSPC, EDQUOT: fileWriteOutOfSpace
        case EROFS: fileWriteVolumeReadOnly
        default: fileWriteUnknown
        }
    }
}

extension GraphError {
    /// The error's code in `NSCocoaErrorDomain`: Core Data's (`CoreDataErrors.h`) or Foundation's.
    ///
    /// A single broken rule has the code of that rule; several broken rules have the code 1560. Other
    /// codes are 133000 for an object that its store no longer contains, 133020 for rows that were
    /// changed elsewhere, 133021 for duplicate values, 134100 for a store of another model, 134190 for a
    /// migration that cannot be inferred, 134110 for one that the store's objects prevent, and 134010 for a
    /// file that is not a store of the type. Errors that Core Data would report as exceptions have
    /// the general code, 134060.
    public var code: Int { ErrorCode.of(self) }
}

// MARK: - The user info of each error

private typealias UserInfo = [String: Any]

extension ErrorCode {
    static func userInfo(of error: any Error) -> [String: Any] {
        switch error {
        case let error as GraphError: error.userInfo
        case let error as StoreError: error.userInfo
        case let error as ModelError: error.userInfo
        case let error as FetchPredicateError: error.userInfo
        case let error as StoreLoadingFailure: error.reason.userInfo
        case let error as ValidationFailure: error.userInfo
        default: [:]
        }
    }
}

extension GraphError {
    fileprivate var userInfo: UserInfo {
        var info = UserInfo(description: description)
        switch self {
        case .store(let error): info.add(valuesOf: error.userInfo)
        case .model(let error): info.add(valuesOf: error.userInfo)
        case .validation(let failures):
            if failures.count == 1 { info.add(valuesOf: failures[0].userInfo) }
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
        case .batchRefused(let entity, _), .unknownEntity(let entity, _),
            .abstractEntity(let entity), .noStore(let entity, _),
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

extension ValidationFailure {
    fileprivate var userInfo: UserInfo {
        var info = UserInfo(description: description)
        info.add(entity: entity, property: property)
        info.add(broken: rule, by: object, property: property)
        return info
    }
}

extension StoreError {
    fileprivate var userInfo: UserInfo {
        var info = UserInfo(description: description)
        switch self {
        case .notFound(let location), .unrecognized(let location, _, _),
            .unsupported(let location, _, _), .readOnly(let location), .closed(let location),
            .busy(let location, _), .locked(let location, _), .hardLinked(let location, _),
            .sourceModelMissing(let location), .mappingModelNeeded(let location),
            .spaceMissing(let location, _, _), .saveNameTooSmall(let location, _),
            .historyUnavailable(let location, _):
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
        case .migrationFailed(let location, _, let error):
            info.add(stores: [location])
            info.add(underlying: error)
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

extension ModelError {
    fileprivate var userInfo: UserInfo {
        var info = UserInfo(description: description)
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

extension FetchPredicateError {
    fileprivate var userInfo: UserInfo {
        var info = UserInfo(description: description)
        switch self {
        case .unknownKey(let key, let entity, _), .transientKey(let key, let entity):
            info.add(entity: entity, property: key)
        default: break
        }
        return info
    }
}

extension UserInfo {
    /// - Parameter description: The value of `localizedDescription`.
    fileprivate init(description: String) { self = [NSLocalizedDescriptionKey: description] }
    fileprivate mutating func add(stores locations: [StoreLocation]) {
        self["NSAffectedStoresErrorKey"] = locations.map(Self.name)
        guard locations.count == 1, let url = locations[0].fileURL else { return }
        self[NSURLErrorKey] = url
        self[NSFilePathErrorKey] = url.path
    }

    fileprivate mutating func add(objects ids: [ObjectID]) {
        self["NSAffectedObjectsErrorKey"] = ids
    }

    /// Adds the entity, and the property if it is not `nil`, under the keys that Core Data uses for
    /// migration errors.
    fileprivate mutating func add(entity: String, property: String? = nil) {
        self["entity"] = entity
        if let property { self["property"] = property }
    }

    fileprivate mutating func add(reason: String) { self["reason"] = reason }
    fileprivate mutating func add(details errors: [any Error]) {
        self["NSDetailedErrors"] = errors.map { $0 as NSError }
    }

    fileprivate mutating func add(underlying error: any Error) {
        self[NSUnderlyingErrorKey] = error as NSError
    }

    fileprivate mutating func add(conflicts: [Any]) { self["conflictList"] = conflicts }
    fileprivate mutating func add(_ conflicts: [ReferenceConflict]) {
        add(conflicts: conflicts)
        add(objects: conflicts.flatMap { [$0.object] + $0.members })
    }

    fileprivate mutating func add(path: String) { self[NSFilePathErrorKey] = path }
    fileprivate mutating func add(_ failure: EngineFailure) {
        add(stores: [failure.location])
        add(reason: failure.message)
        if failure.type == "SQLite" { self["NSSQLiteErrorDomain"] = failure.code }
    }

    fileprivate mutating func add(_ failure: FileFailure) {
        add(path: failure.path)
        add(reason: "\(failure.operation) failed; code = \(failure.code)")
        add(underlying: NSError(domain: NSPOSIXErrorDomain, code: Int(failure.code)))
    }

    /// Adds what a store of another model records about the entities that differ.
    fileprivate mutating func add(_ differences: [ModelDifference]) {
        let stored = differences.compactMap { difference in
            difference.stored.map { (difference.entity, $0.data) }
        }
        self["metadata"] = [
            "NSStoreModelVersionHashes": Dictionary(stored, uniquingKeysWith: { first, _ in first })
        ]
        add(
            reason: "The model used to open the store is incompatible with the one used to create"
                + " the store")
    }

    /// Adds the rule of the model that an object breaks.
    fileprivate mutating func add(broken rule: String, by object: ObjectID, property: String?) {
        add(objects: [object])
        self["NSValidationErrorObject"] = object
        self["NSValidationErrorPredicate"] = rule
        if let property { self["NSValidationErrorKey"] = property }
    }

    /// Adds the values of another error, except for those that exist already, such as the description.
    fileprivate mutating func add(valuesOf other: UserInfo) { merge(other) { own, _ in own } }

    private static func name(of location: StoreLocation) -> Any {
        switch location {
        case .file(let url): url
        case .memory(let name): name
        case .service(let service): URL(string: service.description) ?? service.description
        }
    }
}
