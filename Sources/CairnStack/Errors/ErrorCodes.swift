import CairnModel
import CairnStore
import Foundation

/// Maps each error of Cairn to its code in `NSCocoaErrorDomain`.
///
/// If Core Data reports the failure as an error, the code is Core Data's. If Core Data raises an
/// exception, for example for an unknown entity, the code is that of a general error.
enum ErrorCodes {
    static func code(of error: GraphError) -> Int {
        switch error {
        case .store(let error): code(of: error)
        case .model(let error): code(of: error)
        case .predicate: CocoaCode.general
        case .fetchCancelled, .saveCancelled, .openingCancelled, .copyCancelled, .waitCancelled:
            CocoaCode.userCancelled
        case .validation(let failures):
            failures.count == 1 ? failures[0].code : ValidationCode.multiple
        case .mergeConflicts, .referenceConflicts, .mergePolicyFailed: CocoaCode.merge
        case .constraintConflicts: CocoaCode.constraintMerge
        case .objectGone: CocoaCode.referentialIntegrity
        case .relationshipAcrossStores: CocoaCode.externalRelationship
        case .savePending: CocoaCode.storeIncompleteSave
        case .saveOutcomeUnknown: CocoaCode.storeSave
        case .destinationExists: CocoaCode.fileWriteFileExists
        case .wrongThread, .waitCycle, .saveUnderWay: CocoaCode.contextLocking
        case .storeAlreadyAdded, .storeIdentifierTaken, .loading, .storeNeedsFileURL,
            .storeNeedsServiceURL:
            CocoaCode.storeOpen
        case .transformation(let failure):
            failure.direction == .reading ? CocoaCode.coderReadCorrupt : CocoaCode.general
        case .destinationNotDurable, .storesAreNotFiles, .copyOntoItself, .noStore, .entityNotTaken,
            .unknownStore, .queryGenerationUnsupported:
            CocoaCode.storeOperation
        case .unknownEntity, .unknownProperty, .unknownFetchRequestTemplate, .fetchRequestTemplate,
            .wrongType, .abstractEntity, .wrongContext, .storeIsFixed,
            .resultsWithoutOrder, .classWithoutEntity, .classOfSeveralEntities, .classTooLate,
            .classDoesNotFit, .notConnected, .connectedTwice, .hooksNeverSettle:
            CocoaCode.general
        }
    }

    static func code(of error: StoreError) -> Int {
        switch error {
        case .notFound, .externalDataMissing: CocoaCode.fileReadNoSuchFile
        case .folderMissing: CocoaCode.fileWriteUnknown
        case .readOnly: CocoaCode.fileWriteNoPermission
        case .corrupt: CocoaCode.fileReadCorruptFile
        case .fileFailure(let failure): code(ofSystemError: failure.code)
        case .notAStore: CocoaCode.storeTypeMismatch
        case .unrecognized, .unknownType, .unsupported: CocoaCode.storeInvalidType
        case .modelMismatch: CocoaCode.incompatibleVersionHash
        case .migrationRefused: CocoaCode.inferredMapping
        case .sourceModelMissing: CocoaCode.migrationMissingSourceModel
        case .mappingModelNeeded: CocoaCode.migrationMissingMappingModel
        case .spaceMissing: CocoaCode.fileWriteOutOfSpace
        case .invalidOption, .locked, .hardLinked: CocoaCode.storeOpen
        case .busy, .deadlineExceeded: CocoaCode.storeTimeout
        case .closed: CocoaCode.storeOperation
        case .fileRemoved, .fileReplaced, .unsupportedValue, .keysExhausted, .commitOutcomeUnknown,
            .saveNameTooSmall:
            CocoaCode.storeSave
        case .rowConflicts, .referenceConflicts: CocoaCode.merge
        case .uniquenessConflicts: CocoaCode.constraintMerge
        case .savePending, .saveInDoubt: CocoaCode.storeIncompleteSave
        case .predicate: CocoaCode.general
        case .cancelled: CocoaCode.userCancelled
        case .engineFailure(let failure):
            failure.type == "SQLite" ? CocoaCode.sqlite : CocoaCode.storeOperation
        }
    }

    static func code(of error: ModelError) -> Int {
        switch error {
        case .notFound: CocoaCode.fileReadNoSuchFile
        case .unreadable, .unsupportedForm: CocoaCode.fileReadCorruptFile
        case .exists: CocoaCode.fileWriteFileExists
        case .unwritable: CocoaCode.fileWriteUnknown
        case .invalid, .mergeConflict, .unknownConfiguration, .unrepresentable: CocoaCode.general
        }
    }

    /// Returns the code for a file operation that failed with this `errno`.
    private static func code(ofSystemError number: Int32) -> Int {
        switch number {
        case EACCES, EPERM: CocoaCode.fileWriteNoPermission
        case EEXIST: CocoaCode.fileWriteFileExists
        case ENOENT: CocoaCode.fileReadNoSuchFile
        case ENOSPC, EDQUOT: CocoaCode.fileWriteOutOfSpace
        case EROFS: CocoaCode.fileWriteVolumeReadOnly
        default: CocoaCode.fileWriteUnknown
        }
    }
}
