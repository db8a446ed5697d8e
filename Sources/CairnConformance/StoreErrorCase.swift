import CairnStore

/// The cases of ``CairnStore/StoreError``, for the errors that a rule expects.
package enum StoreErrorCase: String, Sendable, Hashable, CaseIterable {
    /// Opening failed because the store, its folder or its type was not found, or because the model does not
    /// fit.
    case notFound, folderMissing, notAStore, unrecognized, unknownType, modelMismatch
    /// A migration was refused or failed, or a disk has too little free space.
    case migrationRefused, migrationFailed, sourceModelMissing, mappingModelNeeded, spaceMissing
    /// An option, a feature, or a save to a read-only store was refused.
    case invalidOption, unsupported, readOnly
    /// A file of the open store was removed or replaced, or has several names.
    case fileRemoved, fileReplaced, hardLinked
    /// A save over several stores is unfinished, or cannot be finished.
    case savePending, saveInDoubt
    /// The name of the save is too small for the store.
    case saveNameTooSmall
    /// The store is closed or in use by others, or the content of a save was refused.
    case closed, busy, locked, rowConflicts, referenceConflicts, uniquenessConflicts
    case unsupportedValue, keysExhausted
    /// Stored data is damaged or missing, or the file system or the engine's library failed.
    case corrupt, externalDataMissing, fileFailure, engineFailure, commitOutcomeUnknown
    /// The history cannot be read.
    case historyUnavailable
    /// A predicate cannot be evaluated, or the call was cancelled or reached its deadline.
    case predicate, cancelled, deadlineExceeded

    /// Creates the case of an error.
    package init(_ error: StoreError) {
        self =
            switch error {
            case .notFound: .notFound
            case .folderMissing: .folderMissing
            case .notAStore: .notAStore
            case .unrecognized: .unrecognized
            case .unknownType: .unknownType
            case .modelMismatch: .modelMismatch
            case .migrationRefused: .migrationRefused
            case .migrationFailed: .migrationFailed
            case .sourceModelMissing: .sourceModelMissing
            case .mappingModelNeeded: .mappingModelNeeded
            case .spaceMissing: .spaceMissing
            case .invalidOption: .invalidOption
            case .unsupported: .unsupported
            case .readOnly: .readOnly
            case .closed: .closed
            case .busy: .busy
            case .locked: .locked
            case .fileRemoved: .fileRemoved
            case .fileReplaced: .fileReplaced
            case .hardLinked: .hardLinked
            case .rowConflicts: .rowConflicts
            case .referenceConflicts: .referenceConflicts
            case .uniquenessConflicts: .uniquenessConflicts
            case .savePending: .savePending
            case .saveInDoubt: .saveInDoubt
            case .saveNameTooSmall: .saveNameTooSmall
            case .historyUnavailable: .historyUnavailable
            case .unsupportedValue: .unsupportedValue
            case .keysExhausted: .keysExhausted
            case .corrupt: .corrupt
            case .predicate: .predicate
            case .cancelled: .cancelled
            case .deadlineExceeded: .deadlineExceeded
            case .externalDataMissing: .externalDataMissing
            case .fileFailure: .fileFailure
            case .engineFailure: .engineFailure
            case .commitOutcomeUnknown: .commitOutcomeUnknown
            }
    }
}
