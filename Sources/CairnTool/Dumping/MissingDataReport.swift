import ArgumentParser
import Cairn
import CairnRows
import Foundation

/// A report that prints each external value whose file is missing to standard error, and counts these values.
struct MissingDataReport {
    private(set) var count = 0

    mutating func note(_ value: MissingExternalValue) {
        count += 1
        Output.error(
            "cairn: \(value.entity)/\(value.key).\(value.attribute): the file \(VisibleText.line(value.path)), which"
                + " contains its value, is missing")
    }

    /// - Throws: ``ToolFailure`` if a value is missing and the option does not allow that.
    func finish(_ option: MissingDataOption) throws(ToolFailure) {
        guard count > 0, !option.isAllowed else { return }
        throw ToolFailure(
            "The files of \(Quantity.count(count, "value")) are missing, so these were printed as nil."
                + " Restore the folder next to the store, or pass --allow-missing-external-data.")
    }
}

extension RowLayout {
    /// Returns the value of a property's slot. A value that is stored outside of the row is read.
    ///
    /// If the value's file is missing, records that and returns `.null`.
    ///
    /// - Throws: All other errors of `read`.
    func value<Failure: Error>(
        of property: Property, at slot: Slot, in row: Row, noting missing: inout MissingDataReport,
        read: (ExternalReference) throws(Failure) -> Data
    ) throws(Failure) -> Value {
        guard slot.kind == .externalBinary, !row.isNull(slot),
            case .reference(let reference) = row.externalBinary(slot)
        else { return row.value(slot) }
        do {
            return .binary(try read(reference))
        } catch {
            guard let path = error.pathOfMissingData else { throw error }
            missing.note(
                MissingExternalValue(
                    entity: entity.name, key: row.key, attribute: property.name, path: path))
            return .null
        }
    }
}

extension Error {
    /// The path of the missing file of an external value. `nil` for any other error.
    var pathOfMissingData: String? {
        switch self as any Error {
        case StoreError.externalDataMissing(_, let path): path
        case GraphError.store(.externalDataMissing(_, let path)): path
        default: nil
        }
    }
}

/// The option that accepts values whose files are missing.
struct MissingDataOption: ParsableArguments {
    @Flag(
        name: .customLong("allow-missing-external-data"),
        help: "Treat large values whose files are missing as nil, instead of failing.")
    var isAllowed = false
}
