import CairnModel

extension FileStore {
    /// Opens the store with the model that it contains, and counts its rows.
    public static func entityCounts(
        at location: StoreLocation
    ) throws(StoreError) -> [String: Int] {
        try entityCountsByOpening(location)
    }

    /// Opens the store with the model that it contains, and counts its rows.
    ///
    /// - Throws: the errors of ``entityCounts(at:)``.
    package static func entityCountsByOpening(
        _ location: StoreLocation
    ) throws(StoreError) -> [String: Int] {
        guard let description = try model(at: location) else {
            throw .unsupported(
                location, feature: "no model inside",
                advice: "Pass the model that it was written with.")
        }
        let recorded = try metadata(at: location).entityVersionHashes
        let model: ManagedObjectModel
        do {
            model = try ManagedObjectModel(description, recordedHashes: recorded)
        } catch {
            throw .corrupt(location, location: "the model inside", detail: error.description)
        }
        let store = try open(
            OpenRequest(location: location, model: model, isReadOnly: true, createsMissing: false))
        let counts = Result { () throws(StoreError) in try store.entityCounts() }
        try store.close()
        return try counts.get()
    }
}
