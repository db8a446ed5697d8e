import ArgumentParser
import Cairn
import Foundation

/// Reports each external value whose file is missing on standard error, and counts these values.
struct MissingDataReport {
    private(set) var count = 0

    mutating func note(_ value: MissingExternalValue) {
        count += 1
        Output.error(
            "cairn: \(value.entity)/\(value.key).\(value.attribute): the file \(value.path)"
                + " with its value is not there")
    }

    /// - Throws: ``ToolFailure`` if a value is missing and missing values are not allowed.
    func finish(_ option: MissingDataOption) throws(ToolFailure) {
        guard count > 0, !option.isAllowed else { return }
        throw ToolFailure(
            "the files of \(count) value(s) are missing, which are shown as null. Restore the folder"
                + " beside the store, or pass --allow-missing-external-data.")
    }
}

extension RowLayout {
    /// Returns the value of a property's slot. Fetches a value that is stored outside of the row.
    ///
    /// Reports a value whose file is missing, and returns `.null` for it.
    ///
    /// - Throws: the other errors of `read`.
    func value<Failure: Error>(
        of property: Property, at slot: Slot, in row: Row, noting missing: inout MissingDataReport,
        read: (ExternalReference) throws(Failure) -> Data
    ) throws(Failure) -> Value {
        guard slot.kind == .externalBinary, !row.isNull(slot),
            case .reference(let reference) = row.externalBinary(slot)
        else { return row.value(slot) }
        do throws(Failure) {
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
    /// Returns the path at which an external value's file is missing, or `nil` for any other error.
    var pathOfMissingData: String? {
        switch self as any Error {
        case StoreError.externalDataMissing(_, let path): path
        case GraphError.store(.externalDataMissing(_, let path)): path
        default: nil
        }
    }
}
