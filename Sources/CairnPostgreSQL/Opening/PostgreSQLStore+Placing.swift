import CairnModel
import CairnStore

extension PostgreSQLStore: ServiceStore {
    /// Reads the tables with the metadata.
    ///
    /// - Throws: The errors of ``CairnStore/ServiceStore/metadata(at:)``.
    package static func metadata(at location: StoreLocation) throws(StoreError) -> StoreMetadata {
        try record(at: location).metadata
    }

    /// Reads the model with which the store was created.
    ///
    /// - Throws: The errors of ``CairnStore/ServiceStore/metadata(at:)``.
    package static func model(at location: StoreLocation) throws(StoreError) -> ModelDescription? {
        try record(at: location).model
    }

    /// Begins a transaction in which a schema will be renamed.
    ///
    /// - Throws: The errors of ``CairnStore/ServiceStore/placement(at:replacing:)``.
    package static func placement(
        at location: StoreLocation, replacing: Bool
    ) throws(StoreError) -> any ServicePlacement {
        try SchemaPlacement(at: location, replacing: replacing)
    }

    private static func record(
        at location: StoreLocation
    ) throws(StoreError) -> MetadataTables.Record {
        let address = try PostgreSQLAddress(location)
        let pool = PostgresPool(address, at: location, timeout: .seconds(5))
        defer { pool.close() }
        guard try PostgreSQLOpening.exists(address, location, pool) else {
            throw .notFound(location)
        }
        return try MetadataTables(prefix: "\(address.schema.quoted).", location: location).read(
            pool)
    }
}
