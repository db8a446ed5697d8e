import CairnModel
import CairnRows
import CairnStore

/// The encoding of errors: the case and its values except for the location, which the reader replaces with
/// the name that its user gave.
private enum ErrorTag: UInt8 {
    case notFound = 1
    case modelMismatch, invalidOption, unsupported, readOnly, closed, busy, locked
    case rowConflicts, uniquenessConflicts, unsupportedValue, keysExhausted, corrupt, cancelled
    case externalDataMissing, engineFailure, commitOutcomeUnknown, deadlineExceeded
    case saveNameTooSmall
    case referenceConflicts
}

/// The encoding of the reason of a reference conflict.
private enum ConflictReason: UInt8 {
    case deleted = 1
    case missing, oneSided, tooFewMembers

    init(_ reason: ReferenceConflict.Reason) {
        self =
            switch reason {
            case .deleted: .deleted
            case .missing: .missing
            case .oneSided: .oneSided
            case .tooFewMembers: .tooFewMembers
            }
    }

    var reason: ReferenceConflict.Reason {
        switch self {
        case .deleted: .deleted
        case .missing: .missing
        case .oneSided: .oneSided
        case .tooFewMembers: .tooFewMembers
        }
    }
}

extension MessageWriter {
    mutating func error(_ error: StoreError) {
        switch error {
        case .notFound: tag(.notFound)
        case .modelMismatch(_, let differences):
            tag(.modelMismatch)
            list(differences) { writer, difference in
                writer.text(difference.entity)
                writer.optional(difference.stored) { $0.block($1.bytes) }
                writer.optional(difference.model) { $0.block($1.bytes) }
                writer.optional(difference.changes) { $0.text($1) }
                writer.text(difference.storeSeemsNewer ? "newer" : "")
            }
        case .invalidOption(let option, let detail): texts(.invalidOption, option.rawValue, detail)
        case .unsupported(_, let feature, let advice): texts(.unsupported, feature, advice)
        case .readOnly: tag(.readOnly)
        case .closed: tag(.closed)
        case .busy(_, let waited):
            tag(.busy)
            integer(waited.components.seconds)
            integer(waited.components.attoseconds)
        case .locked(_, let holder): texts(.locked, holder)
        case .unsupportedValue(let entity, let attribute, let reason):
            texts(.unsupportedValue, entity, attribute, reason)
        case .keysExhausted(let entity): texts(.keysExhausted, entity)
        case .corrupt(_, let place, let detail): texts(.corrupt, place, detail)
        case .saveNameTooSmall(_, let greatest):
            tag(.saveNameTooSmall)
            saveID(greatest)
        case .cancelled: tag(.cancelled)
        case .deadlineExceeded: tag(.deadlineExceeded)
        case .externalDataMissing(let reference, let path):
            texts(.externalDataMissing, reference.name, path)
        default: conflictOrFailure(error)
        }
    }

    private mutating func conflictOrFailure(_ error: StoreError) {
        switch error {
        case .rowConflicts(let conflicts):
            tag(.rowConflicts)
            list(conflicts) { writer, conflict in
                writer.id(conflict.id)
                writer.integer(conflict.expectedVersion)
                writer.optional(conflict.stored) { $0.row($1) }
            }
        case .referenceConflicts(let conflicts):
            tag(.referenceConflicts)
            list(conflicts) { writer, conflict in
                writer.integer(ConflictReason(conflict.reason).rawValue)
                writer.id(conflict.object)
                writer.text(conflict.entity)
                writer.text(conflict.relationship)
                writer.list(conflict.members) { $0.id($1) }
            }
        case .uniquenessConflicts(let conflicts):
            tag(.uniquenessConflicts)
            list(conflicts) { writer, conflict in
                writer.text(conflict.entity)
                writer.list(conflict.constraint) { $0.text($1) }
                writer.list(conflict.requested) { $0.id($1) }
                writer.optional(conflict.stored) { $0.row($1) }
            }
        case .engineFailure(let failure): self.failure(.engineFailure, failure)
        case .commitOutcomeUnknown(let failure): self.failure(.commitOutcomeUnknown, failure)
        default:
            // The remaining cases concern the server's files, about which the client can do nothing.
            tag(.engineFailure)
            text("serve")
            integer(Int64(0))
            text("\(error)")
            flag(false)
        }
    }

    private mutating func tag(_ tag: ErrorTag) { integer(tag.rawValue) }

    private mutating func texts(_ tag: ErrorTag, _ texts: String...) {
        self.tag(tag)
        for text in texts { self.text(text) }
    }

    private mutating func failure(_ tag: ErrorTag, _ failure: EngineFailure) {
        self.tag(tag)
        text(failure.operation)
        integer(Int64(failure.code))
        text(failure.message)
        flag(failure.isTransient)
    }
}

extension MessageReader {
    mutating func error() throws(MessageDamage) -> StoreError {
        let number = try integer(UInt8.self)
        guard let tag = ErrorTag(rawValue: number) else {
            throw MessageDamage("\(number) is no error")
        }
        let location = context.location
        switch tag {
        case .notFound: return .notFound(location)
        case .modelMismatch: return .modelMismatch(location, differences: try differences())
        case .invalidOption:
            return .invalidOption(StoreOption(rawValue: try text()), detail: try text())
        case .unsupported:
            return .unsupported(location, feature: try text(), advice: try text())
        case .readOnly: return .readOnly(location)
        case .closed: return .closed(location)
        case .busy:
            let seconds = try integer(Int64.self)
            let waited = Duration(
                secondsComponent: seconds, attosecondsComponent: try integer(Int64.self))
            return .busy(location, waited: waited)
        case .locked: return .locked(location, holder: try text())
        case .rowConflicts: return .rowConflicts(try rowConflicts())
        case .referenceConflicts: return .referenceConflicts(try referenceConflicts())
        case .uniquenessConflicts: return .uniquenessConflicts(try uniquenessConflicts())
        default: return try errorOfValue(tag)
        }
    }

    private mutating func errorOfValue(_ tag: ErrorTag) throws(MessageDamage) -> StoreError {
        switch tag {
        case .unsupportedValue:
            return .unsupportedValue(
                entity: try text(), attribute: try text(), reason: try text())
        case .keysExhausted: return .keysExhausted(entity: try text())
        case .saveNameTooSmall:
            return .saveNameTooSmall(context.location, greatest: try saveID())
        case .corrupt: return .corrupt(context.location, location: try text(), detail: try text())
        case .externalDataMissing:
            let reference = ExternalReference(store: context.store, name: try text())
            return .externalDataMissing(reference, path: try text())
        case .engineFailure: return .engineFailure(try failure())
        case .commitOutcomeUnknown: return .commitOutcomeUnknown(try failure())
        case .deadlineExceeded: return .deadlineExceeded
        default: return .cancelled
        }
    }

    private mutating func differences() throws(MessageDamage) -> [ModelDifference] {
        try list { reader throws(MessageDamage) in
            let entity = try reader.text()
            return ModelDifference(
                entity: entity, stored: try reader.versionHash(), model: try reader.versionHash(),
                changes: try reader.optional { reader throws(MessageDamage) in try reader.text() },
                storeSeemsNewer: try reader.text() == "newer")
        }
    }

    private mutating func versionHash() throws(MessageDamage) -> VersionHash? {
        try optional { reader throws(MessageDamage) in try reader.block() }.map { VersionHash($0) }
    }

    private mutating func rowConflicts() throws(MessageDamage) -> [RowConflict] {
        try list { reader throws(MessageDamage) in
            RowConflict(
                id: try reader.id(), expectedVersion: try reader.integer(Int64.self),
                stored: try reader.optional { reader throws(MessageDamage) in try reader.row() })
        }
    }

    private mutating func referenceConflicts() throws(MessageDamage) -> [ReferenceConflict] {
        try list { reader throws(MessageDamage) in
            let number = try reader.integer(UInt8.self)
            guard let reason = ConflictReason(rawValue: number)?.reason else {
                throw MessageDamage("\(number) is no reason of a conflict")
            }
            return ReferenceConflict(
                reason, object: try reader.id(), entity: try reader.text(),
                relationship: try reader.text(),
                members: try reader.list { reader throws(MessageDamage) in try reader.id() })
        }
    }

    private mutating func uniquenessConflicts() throws(MessageDamage) -> [UniquenessConflict] {
        try list { reader throws(MessageDamage) in
            UniquenessConflict(
                entity: try reader.text(),
                constraint: try reader.list { reader throws(MessageDamage) in try reader.text() },
                requested: try reader.list { reader throws(MessageDamage) in try reader.id() },
                stored: try reader.optional { reader throws(MessageDamage) in try reader.row() })
        }
    }

    private mutating func failure() throws(MessageDamage) -> EngineFailure {
        let operation = try text()
        let code = Int(truncatingIfNeeded: try integer(Int64.self))
        return EngineFailure(
            type: SocketStore.type, location: context.location, operation: operation, code: code,
            message: try text(), isTransient: try flag())
    }
}
