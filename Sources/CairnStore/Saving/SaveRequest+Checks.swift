import CairnModel

extension SaveRequest {
    /// Checks the requirements on the request's own rows, without looking into a store.
    ///
    /// Inserted and updated rows must have permanent keys, greater than 0, and versions greater
    /// than 0. The version of an updated row must be its `previousVersion + 1`. A request that
    /// violates this is an error of the caller. No conflict is reported for it, because saving
    /// again would not help.
    ///
    /// The cost is one pass over the headers of the rows.
    ///
    /// - Parameters:
    ///   - type: the engine that was asked to prepare the request.
    ///   - location: the store that was asked.
    /// - Throws: `.engineFailure`, which names the first such row by entity number and key.
    public func requireWellFormed(
        for type: StoreType, at location: StoreLocation
    ) throws(StoreError) {
        guard let fault = faultOfInsertions ?? faultOfUpdates else { return }
        throw .engineFailure(
            EngineFailure(
                type: type, location: location, operation: "prepare", code: 0, message: fault))
    }

    private var faultOfInsertions: String? {
        for index in inserted.rowIndices {
            let row = inserted.pointer(at: index)
            if row.key < 1 { return Self.fault(row.entity, row.key, "its key is not permanent") }
            if row.version < 1 {
                return Self.fault(row.entity, row.key, "its version is not greater than 0")
            }
        }
        return nil
    }

    private var faultOfUpdates: String? {
        for update in updated {
            let row = update.row
            if row.key < 1 { return Self.fault(row.entity, row.key, "its key is not permanent") }
            let (next, overflow) = update.previousVersion.addingReportingOverflow(1)
            if overflow || row.version != next || update.previousVersion < 0 {
                return Self.fault(
                    row.entity, row.key,
                    "its version is \(row.version), but must be one more than"
                        + " \(update.previousVersion)")
            }
        }
        return nil
    }

    private static func fault(_ entity: EntityNumber, _ key: Int64, _ detail: String) -> String {
        "the row of entity \(entity.rawValue) with key \(key) cannot be saved: \(detail)"
    }
}
