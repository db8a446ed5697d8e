import CairnEngineKit
import CairnStore

/// A store that is written as a whole keeps its ``SaveRecord`` as a value of its metadata.
/// Therefore every file format can store the record, and programs that do not know it leave it
/// unchanged.
extension StoreMetadata {
    /// The name of the value. If an application sets a value with this name, it is lost.
    static let saveRecordName = "CairnNamedSaves"

    /// The metadata as callers see it, without the record.
    package var withoutSaveRecord: StoreMetadata {
        var metadata = self
        metadata.values[Self.saveRecordName] = nil
        return metadata
    }
}

extension StoreContent {
    /// The content as a form writes it. If the store never had a named save, the record is left
    /// out.
    var withSaveRecordInMetadata: StoreContent {
        var content = self
        content.metadata.values[StoreMetadata.saveRecordName] =
            saves.isEmpty ? nil : .data(saves.data)
        return content
    }

    /// Moves the record out of the metadata that a form has read.
    ///
    /// - Throws: `.corrupt`.
    mutating func takeSaveRecord(at location: StoreLocation) throws(StoreError) {
        let name = StoreMetadata.saveRecordName
        guard let value = metadata.values.removeValue(forKey: name) else { return }
        guard case .data(let data) = value, let record = SaveRecord(data) else {
            throw .corrupt(
                location, location: "the metadata “\(name)”",
                detail: "it is not a list of the names of saves")
        }
        saves = record
    }
}
