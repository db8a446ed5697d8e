/// The report of `cairn store info` on several stores. Its JSON form is stable.
struct StoreGroupReport: Encodable {
    /// The reports on the stores, in the order of the stores' numbers, which start at 1.
    let stores: [StoreReport]
    /// The counts of all stores together. The version hash of an entity is absent if the stores have
    /// different hashes.
    let entities: [String: StoreReport.EntityReport]

    init(_ stores: [StoreReport]) {
        self.stores = stores
        var entities: [String: StoreReport.EntityReport] = [:]
        for name in Set(stores.flatMap(\.entities.keys)) {
            let found = stores.compactMap { $0.entities[name] }
            let counts = found.compactMap(\.count)
            let hashes = Set(found.compactMap(\.versionHash))
            entities[name] = StoreReport.EntityReport(
                count: counts.isEmpty ? nil : counts.reduce(0, +),
                versionHash: hashes.count == 1 ? hashes.first : nil)
        }
        self.entities = entities
    }
}
