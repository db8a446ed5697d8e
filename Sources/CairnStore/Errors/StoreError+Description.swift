import CairnFiles
import CairnModel
import Foundation

extension StoreError: CustomStringConvertible {
    /// Says what failed, on what, why, and what to do next. Never contains a stored value.
    public var description: String {
        switch self {
        case .notFound(let location):
            "No store is at \(location). Check the path, or allow the store to be created."
        case .folderMissing(let location, let folder):
            "The store \(location) cannot be made: there is no folder \(folder.path)."
                + " Make the folder, or check the path, and try again."
        case .notAStore(let location, let expected, let found):
            "\(location) is not a store of type \(expected): it looks like \(found)."
                + " Open it with the type it was written by."
        case .unrecognized(let location, let found, let known):
            "\(location) is not a store of any known type ("
                + known.map(\.rawValue).sorted().joined(separator: ", ")
                + "): it looks like \(found). Check the path, or name the type."
        case .unknownType(let type, let known):
            "No engine of type “\(type)” is registered. Known types: "
                + known.map(\.rawValue).sorted().joined(separator: ", ") + "."
                + (NearestName.of(type.rawValue, among: known.map(\.rawValue))
                    .map { " Did you mean “\($0)”?" } ?? "")
        case .modelMismatch(let location, let differences):
            "The store \(location) was written with another version of the model. "
                + Self.text(of: differences)
        case .migrationRefused(let location, let findings):
            "The store \(location) was not migrated, and is as it was: "
                + Self.text(of: findings)
        case .sourceModelMissing(let location):
            "The store \(location) was written with another version of the model, and contains no"
                + " model itself. Give the versions of the model, the one that it was written with"
                + " among them."
        case .mappingModelNeeded(let location, let name?):
            "The store \(location) was not migrated, and is as it was: the mapping model “\(name)”"
                + " stands between its version of the model and the new one, and Cairn cannot"
                + " execute mapping models yet. Migrate the store with Core Data, or remove the mapping"
                + " model if the migration may be inferred without it."
        case .mappingModelNeeded(let location, nil):
            "The store \(location) was not migrated, and is as it was: it was written with another"
                + " version of the model, there is no mapping model, and inferring one was not"
                + " allowed. Set shouldInferMappingModelAutomatically to true."
        case .spaceMissing(let location, nil, let available):
            "The disk is full: nothing more could be written to \(location), and \(available) bytes are"
                + " free. Free some disk space, and try again."
        case .spaceMissing(let location, let needed?, let available):
            "The disk has too little free space for \(location): \(needed) bytes are needed, and"
                + " \(available) are free. Nothing was written."
        case .invalidOption(let option, let detail):
            "The option “\(option)” cannot be used: \(detail)."
        case .unsupported(let location, let feature, let advice):
            "The store \(location) has \(feature), which is not handled. \(advice)"
        case .readOnly(let location):
            "The store \(location) is read-only; nothing was saved."
        case .closed(let location):
            "The store \(location) was closed. Add it to a coordinator again to use it."
        case .busy(let location, let waited):
            "The store \(location) was busy for \(waited); nothing was done. Try again."
        case .locked(let location, let holder):
            "The store \(location) is in use by \(holder). Close it there, or try again when that is"
                + " done."
        case .fileRemoved(let location, let path):
            "The file \(path) of the store \(location) was removed or renamed while the store was"
                + " open; nothing was saved. Bring the file back, or save to another store."
        case .fileReplaced(let location, let path):
            "Another file replaced \(path) while the store \(location) was open; nothing"
                + " was saved, and the other file is untouched. Add the store again to use that file."
        case .hardLinked(let location, let linkCount):
            "The store \(location) cannot be written: its file has \(linkCount) names (hard links),"
                + " and users of two names would overwrite each other's saves. Remove the other"
                + " names, or copy the store."
        case .corrupt(let store, let location, let detail):
            "The store \(store) is damaged at \(location): \(detail). Restore it from a backup."
        default: descriptionOfOperation
        }
    }

    private static func text(of findings: [InferenceFinding]) -> String {
        findings.map(\.description).joined(separator: "; ") + "."
    }

    /// Describes the differences and says what to do next.
    private static func text(of differences: [ModelDifference]) -> String {
        var lines: [String] = []
        for line in differences.map(\.description) where !lines.contains(line) {
            lines.append(line)
        }
        let isExplained = differences.contains { $0.changes != nil }
        let change = isExplained ? "Changed since: " : ""
        guard differences.contains(where: \.storeSeemsNewer) else {
            return change + lines.joined(separator: ". ")
                + ". Open it with the model it was written with, or migrate it."
        }
        return "From the store to this model: " + lines.joined(separator: ". ")
            + ". The store has more than the model, as a newer version of the program writes it: use"
            + " that version, or open the store with the model inside it. If parts of the model were"
            + " removed on purpose, let the program know the version before (a container looks for it in"
            + " the .momd or .xcdatamodeld; or setModelHistory(foundBy:)), or migrate the store by hand"
            + " (cairn store migrate, or MigrationManager)."
    }

    private var descriptionOfOperation: String {
        switch self {
        case .rowConflicts(let conflicts):
            "\(conflicts.count) object(s) changed in the store since they were read: "
                + conflicts.map(\.description).joined(separator: "; ")
                + ". Refresh them or set a merge policy, then save again."
        case .uniquenessConflicts(let conflicts):
            "\(conflicts.count) uniqueness constraint(s) do not hold: "
                + conflicts.map(\.description).joined(separator: "; ")
                + ". Change one of the objects or set a merge policy, then save again."
        case .savePending(let save):
            "\(save) Nothing else was done. It is finished when one of the stores is next saved to, or"
                + " opened for writing; until then they take no other save."
        case .saveInDoubt(let save):
            "\(save) Nothing was changed. Bring back what is missing and open the store again, or have the"
                + " stores take it that can, with the option overridesSaveInDoubt."
        case .unsupportedValue(let entity, let attribute, let reason):
            "The value of \(entity).\(attribute) cannot be kept: \(reason)."
        case .predicate(let error): error.description
        case .cancelled:
            "Cancelled together with its task; nothing was changed. Run it again if it is needed."
        case .deadlineExceeded:
            "The deadline passed before the store had answered; nothing was changed. Try again with"
                + " more time."
        case .keysExhausted(let entity):
            "No key is left for \(entity). Copy the store to a new one."
        case .externalDataMissing(let reference, let path):
            "The file \(path) with the value “\(reference.name)” is not there."
                + " Restore the folder beside the store."
        case .fileFailure(let failure):
            "\(failure.operation) of \(failure.path) failed: \(failure.message)"
                + " (errno \(failure.code)).\(failure.advice.map { " \($0)" } ?? "")"
        case .engineFailure(let failure):
            "\(failure.type) failed to \(failure.operation) at \(failure.location):"
                + " \(failure.message) (code \(failure.code))."
        case .commitOutcomeUnknown(let failure):
            "\(failure.type) failed to commit at \(failure.location), and whether the save took"
                + " place is unknown: \(failure.message) (code \(failure.code))."
                + " Look in the store before saving again."
        default: ""
        }
    }

    /// Whether the same call may succeed a moment later without anyone's intervention.
    public var isTransient: Bool {
        switch self {
        case .busy: true
        case .engineFailure(let failure): failure.isTransient
        default: false
        }
    }
}

extension FileFailure {
    /// What the user can do about the failure, or `nil` if the operating system's message says all
    /// that is known.
    fileprivate var advice: String? {
        switch code {
        case ENOSPC, EDQUOT: "Free some disk space, and try again."
        case EMFILE, ENFILE: "Close stores or files that are not needed, and try again."
        case EACCES, EPERM: "Change who may use the file, or run the program as somebody who may."
        default: nil
        }
    }
}

extension StoreError: LocalizedError {
    /// The ``description``, which `localizedDescription` returns as well.
    public var errorDescription: String? { description }
}

extension StoreError {
    /// Returns the error for a write that failed because the disk is full. Asks the file system how
    /// much space is left.
    package static func diskFull(at location: StoreLocation) -> StoreError {
        var available: Int64 = 0
        if let folder = location.fileURL?.deletingLastPathComponent() {
            available = (try? FreeSpace.available(inFolder: folder.path)) ?? 0
        }
        return .spaceMissing(location, needed: nil, available: available)
    }
}
