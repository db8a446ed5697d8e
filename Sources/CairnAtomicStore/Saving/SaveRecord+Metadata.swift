import CairnStore

/// How a whole-file store keeps its ``SaveRecord``: as one more value of the metadata, so that every
/// form keeps it, and a program that does not know it leaves it in place.
extension StoreMetadata {
    /// The name of the value. An application's own value of this name is not kept.
    static let saveRecordName = "CairnNamedSaves"

    /// What the store says of itself to others.
    package var withoutSaveRecord: StoreMetadata {
        var metadata = self
        metadata.values[Self.saveRecordName] = nil
        return metadata
    }
}

extension AtomicContent {
    /// The content as a form writes it. A store that never had a named save has no such value.
    var withSaveRecordInMetadata: AtomicContent {
        var content = self
        content.metadata.values[StoreMetadata.saveRecordName] =
            saves.isEmpty ? nil : .data(saves.data)
        return content
    }

    /// Takes the record out of the metadata that a form read.
    ///
    /// - Throws: `.corrupt`.
    mutating func takeSaveRecord(at location: StoreLocation) throws(StoreError) {
        let name = StoreMetadata.saveRecordName
        guard let value = metadata.values.removeValue(forKey: name) else { return }
        guard case .data(let data) = value, let record = SaveRecord(data) else {
            throw .corrupt(
                location, location: "the metadata “\(name)”",
                detail: "it is no list of the names of saves")
        }
        saves = record
    }
}
