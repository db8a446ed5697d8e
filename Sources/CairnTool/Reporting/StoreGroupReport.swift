/// The output of `cairn store info` for several stores. Its JSON form is stable.
struct StoreGroupReport: Encodable {
    /// The stores, in the order of their numbers, which begin at 1.
    let stores: [StoreReport]
    /// The total counts of all stores. A version hash is absent if it is not the same in all stores.
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
