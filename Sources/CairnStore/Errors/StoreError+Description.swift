import CairnFiles
import CairnModel
import Foundation

extension StoreError: CustomStringConvertible {
    /// Says what failed, on what, why, and what to do next. Never contains a stored value, and no control
    /// characters, not even those of file names.
    public var description: String {
        if case .predicate(let error) = self { return error.description }
        return VisibleText.line(text)
    }

    private var text: String {
        switch self {
        case .notFound(let location):
            "There is no store at \(location). Check the path, or allow the store to be created."
        case .folderMissing(let location, let folder):
            "The store \(location) cannot be created, because the folder \(folder.path) does not exist."
                + " Create the folder or correct the path, and try again."
        case .notAStore(let location, let expected, let found):
            "\(location) is not a store of type \(expected): it looks like \(found)."
                + " Open it with the store type that wrote it, or copy it to another type with"
                + " “cairn store copy”."
        case .unrecognized(let location, let found, let known):
            "\(location) is not a store of any known type ("
                + known.map(\.rawValue).sorted().joined(separator: ", ")
                + "): it looks like \(found). Check the path, or specify the type."
        case .unknownType(let type, let known):
            "No engine is registered for the store type “\(type)”."
                + (NearestName.of(type.rawValue, among: known.map(\.rawValue))
                    .map { " Did you mean “\($0)”?" } ?? "")
                + " The known types are "
                + known.map(\.rawValue).sorted().joined(separator: ", ") + "."
        case .modelMismatch(let location, let differences):
            "The store \(location) was written with another version of the model. "
                + Self.text(of: differences)
        case .migrationRefused(let location, let findings):
            "The store \(location) was not migrated and is unchanged: "
                + Self.text(of: findings)
        case .migrationFailed(let location, let entity, let error):
            "The store \(location) was not migrated and is unchanged: the program's code"
                + (entity.isEmpty ? "" : " for objects of “\(entity)”") + " failed: \(error)"
        case .sourceModelMissing(let location):
            "The store \(location) was written with another version of the model, but does not contain"
                + " that model. Provide the versions of the model, including the one that the store was"
                + " written with."
        case .mappingModelNeeded(let location):
            "The store \(location) was not migrated and is unchanged: it was written with another"
                + " version of the model, there is no mapping model, and inferring one was not"
                + " allowed. Set shouldInferMappingModelAutomatically to true."
        case .spaceMissing(let location, nil, let available):
            "The disk is full: \(location) could not be written completely, and only \(available) bytes"
                + " are free. Free some disk space, and try again."
        case .spaceMissing(let location, let needed?, let available):
            "The disk has too little free space for \(location): \(needed) bytes are needed, but only"
                + " \(available) are free. Nothing was written. Free some disk space, and try again."
        case .invalidOption(let option, let detail):
            "The option “\(option)” cannot be used: \(detail)."
        case .unsupported(let location, let feature, let advice):
            "The store \(location) has \(feature), which is not supported. \(advice)"
        case .readOnly(let location):
            "The store \(location) is read-only, so nothing was saved. To save to it, open it without the"
                + " option readOnly, and check that the file may be written."
        case .closed(let location):
            "The store \(location) was closed. To use it, add it to a coordinator again."
        case .busy(let location, let waited):
            "The store \(location) was busy for \(waited), so nothing was done. Try again, or raise the option"
                + " timeout."
        case .locked(let location, let holder):
            "The store \(location) is in use by \(holder). Close it there, or try again later."
        case .fileRemoved(let location, let path):
            "The file \(path) of the store \(location) was removed or renamed while the store was"
                + " open, so nothing was saved. Restore the file, or save to another store."
        case .fileReplaced(let location, _) where location.service != nil:
            "Another store took the place of the store \(location) while it was open, for example because another"
                + " program migrated it. Nothing was saved. To use the new store, add it again."
        case .fileReplaced(let location, let path):
            "Another file replaced \(path) while the store \(location) was open. Nothing was saved, and"
                + " the new file is unchanged. To use the new file, add the store again."
        case .hardLinked(let location, let linkCount):
            "The store \(location) cannot be written: its file has \(linkCount) names (hard links),"
                + " and programs that use different names would overwrite or miss each other's saves."
                + " Remove the other names, or copy the store."
        case .corrupt(let store, let location, let detail):
            "The store \(store) is damaged at \(location): \(detail). Restore it from a backup."
        default: textOfOperation
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
        let change = isExplained ? "Changes since then: " : ""
        guard differences.contains(where: \.storeSeemsNewer) else {
            return change + lines.joined(separator: ". ")
                + ". Open the store with the model that it was written with, or migrate it."
        }
        return "Changes from the store to this model: " + lines.joined(separator: ". ")
            + ". The store contains more than the model, as if a newer version of the program had written"
            + " it: use that version, or open the store with the model inside it. If parts of the model"
            + " were removed on purpose, make the previous version known to the program (a container"
            + " looks for it in the .momd or .xcdatamodeld; otherwise call setModelHistory(foundBy:)), or"
            + " migrate the store by hand (cairn store migrate, or MigrationManager)."
    }

    private var textOfOperation: String {
        switch self {
        case .rowConflicts(let conflicts):
            "\(conflicts.count.counted("object")) changed in the store since the context read them: "
                + conflicts.map(\.description).joined(separator: "; ")
                + ". Refresh the objects or set a merge policy, then save again."
        case .referenceConflicts(let conflicts):
            "\(conflicts.count.counted("relationship")) would be broken, because others have saved since"
                + " the context read its objects: "
                + conflicts.map(\.description).joined(separator: "; ")
                + ". Refresh the objects or set a merge policy, then save again."
        case .uniquenessConflicts(let conflicts):
            "\(conflicts.count.counted("uniqueness constraint")) would be violated: "
                + conflicts.map(\.description).joined(separator: "; ")
                + ". Change one of the objects or set a merge policy, then save again."
        case .savePending(let save):
            "\(save) Nothing else was done. The save is finished when one of the stores is next"
                + " read, saved to or opened for writing. Until then, the stores accept no other save."
        case .saveInDoubt(let save):
            "\(save) Nothing was changed. Restore what is missing and open the store again, or set the"
                + " option overridesSaveInDoubt to finish the save in the stores that are available."
        case .saveNameTooSmall(let location, let greatest):
            "The save was not made, because its name is not greater than names that the store \(location)"
                + " has forgotten. The greatest name that it knows is \(greatest): repeat the save with the"
                + " name SaveID(after:) of that name."
        case .historyUnavailable(let location, .notTracked):
            "The store \(location) keeps no history. Open it with the option tracksHistory, which records"
                + " the saves from then on."
        case .historyUnavailable(let location, .purged):
            "The history of the store \(location) does not reach back to the token, because older"
                + " transactions were removed. Read the objects of the store instead, and continue from its"
                + " newest token."
        case .historyUnavailable(let location, .anotherBranch):
            "The token does not belong to the history of the store \(location): the store was restored"
                + " from a backup, replaced by a copy, migrated by copying, or lost its history. Read the"
                + " objects of the store instead, and continue from its newest token."
        case .unsupportedValue(let entity, let attribute, let reason):
            "The value of \(entity).\(attribute) cannot be stored: \(reason)."
        case .cancelled:
            "The operation was cancelled because its task was cancelled. Nothing was changed. Run it"
                + " again if you still need it."
        case .deadlineExceeded:
            "The deadline passed before the store answered. Nothing was changed. Try again with a later"
                + " deadline."
        case .keysExhausted(let entity):
            "There are no keys left for new objects of the entity \(entity). Copy the store to a new one."
        case .externalDataMissing(let reference, let path):
            "The file \(path), which contains the value “\(reference.name)”, is missing."
                + " Restore the folder next to the store."
        case .fileFailure(let failure):
            "The operation “\(failure.operation)” on \(failure.path) failed: \(failure.message)"
                + " (errno \(failure.code)).\(failure.advice.map { " \($0)" } ?? "")"
        case .engineFailure(let failure):
            "\(failure.type) failed to \(failure.operation) at \(failure.location):"
                + " \(failure.message) (code \(failure.code))."
        case .commitOutcomeUnknown(let failure):
            "\(failure.type) failed to commit at \(failure.location), and it is not known whether the"
                + " save succeeded: \(failure.message) (code \(failure.code))."
                + " Read the store before you save again."
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
        case EACCES, EPERM:
            "Change the permissions of the file, or run the program as a user who may use it."
        case ELOOP:
            "Cairn follows no symbolic link that has the name of one of its own files. If there is such"
                + " a link, find out who created it, and remove it."
        case EMLINK:
            "The file has several names (hard links), and writing to it would change another program's"
                + " file. Remove this name while no program uses the store."
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
