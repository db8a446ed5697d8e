import CairnStore

/// The cases of ``CairnStore/StoreError``, for the errors that a rule expects.
public enum StoreErrorCase: String, Sendable, Hashable, CaseIterable {
    case notFound, folderMissing, notAStore, unrecognized, unknownType, modelMismatch
    case migrationRefused, sourceModelMissing, mappingModelNeeded, spaceMissing
    case invalidOption, unsupported, readOnly
    case fileRemoved, fileReplaced, hardLinked
    case savePending, saveInDoubt
    case closed, busy, locked, rowConflicts, uniquenessConflicts, unsupportedValue, keysExhausted
    case corrupt, externalDataMissing, fileFailure, engineFailure, commitOutcomeUnknown
    case predicate, cancelled, deadlineExceeded

    /// Creates the case of an error.
    public init(_ error: StoreError) {
        self =
            switch error {
            case .notFound: .notFound
            case .folderMissing: .folderMissing
            case .notAStore: .notAStore
            case .unrecognized: .unrecognized
            case .unknownType: .unknownType
            case .modelMismatch: .modelMismatch
            case .migrationRefused: .migrationRefused
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
            case .uniquenessConflicts: .uniquenessConflicts
            case .savePending: .savePending
            case .saveInDoubt: .saveInDoubt
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
