import CairnModel
import CairnSQL
import CairnStore

/// Counts a store's rows by the entities in `Z_PRIMARYKEY`, without a model from the caller.
///
/// An entity that was renamed in place is listed under its old name. It is counted under its new
/// name, which comes from the model in the store, or otherwise from the recorded hashes.
struct EntityCounter {
    private struct Listed {
        let number: Int64
        let name: String
        let superentity: Int64
    }

    private let inspection: StoreInspection
    private let listed: [Listed]
    /// The model's entities by the store's numbers. Empty if the store contains no readable model.
    private let entities: [Int64: Entity]
    private let recorded: Set<String>

    /// - Throws: `.corrupt`, `.busy` or `.engineFailure`.
    init(inspection: StoreInspection) throws(StoreError) {
        self.inspection = inspection
        listed = try Self.listedEntities(inspection)
        recorded = Set(try inspection.metadata().entityVersionHashes.keys)
        entities = Self.entities(of: inspection, listed)
    }

    /// Returns the number of rows of each entity, not including its subentities.
    ///
    /// - Throws: `.corrupt`, `.busy` or `.engineFailure`.
    func counts() throws(StoreError) -> [String: Int] {
        let names = self.names
        var counts: [String: Int] = [:]
        for name in names.values { counts[name] = 0 }
        for root in listed where root.superentity == 0 {
            let table = try table(of: root)
            let select = try inspection.connection.statement(
                "SELECT Z_ENT, COUNT(*) FROM \(table) GROUP BY Z_ENT")
            while try select.step() {
                let number = try select.integer(at: 0, "table \(table), column Z_ENT") ?? 0
                guard let name = names[number] else {
                    throw corrupt(table.text, "rows have the unknown entity number \(number)")
                }
                counts[name] = Int(select.int64(at: 1))
            }
        }
        return counts
    }

    /// The names of the entities by the store's numbers.
    private var names: [Int64: String] {
        var names = Dictionary(
            listed.map { ($0.number, entities[$0.number]?.name ?? $0.name) },
            uniquingKeysWith: { first, _ in first })
        // Without a model: if exactly one name has no hash and exactly one hash has no name, they
        // belong
        // to the same entity.
        let unrecorded = names.filter { !recorded.contains($0.value) }
        let unlisted = recorded.subtracting(names.values)
        if unrecorded.count == 1, unlisted.count == 1, let number = unrecorded.first?.key {
            names[number] = unlisted.first
        }
        return names
    }

    private static func listedEntities(
        _ inspection: StoreInspection
    ) throws(StoreError) -> [Listed] {
        let select = try inspection.connection.statement(
            "SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY")
        var listed: [Listed] = []
        while try select.step() {
            let number = try select.key(at: 0, "Z_PRIMARYKEY, column Z_ENT")
            guard number < StoreEntities.firstReservedNumber, let name = select.text(at: 1) else {
                continue
            }
            let superentity = try select.integer(at: 2, "Z_PRIMARYKEY, column Z_SUPER")
            listed.append(Listed(number: number, name: name, superentity: superentity ?? 0))
        }
        return listed
    }

    private static func entities(
        of inspection: StoreInspection, _ listed: [Listed]
    ) -> [Int64: Entity] {
        // Rows can be counted without a model, so an unreadable one is ignored.
        guard let description = try? inspection.model(),
            let model = try? ManagedObjectModel(description)
        else { return [:] }
        let matched = StoreEntities(
            matching: model, listed: listed.map { ($0.name, $0.number) })
        return Dictionary(
            matched.entities.map { ($0.number, $0.entity) },
            uniquingKeysWith: { first, _ in first })
    }

    /// Returns the table of a root entity. A store that was migrated in place may have kept a table
    /// name that differs from the listed entity name.
    private func table(of root: Listed) throws(StoreError) -> SQLName {
        let entity = entities[root.number]
        let names = [root.name, entity?.name, entity?.renamingIdentifier].compactMap(\.self)
        let tables = names.map { SQLName("Z" + $0.uppercased()) }
        if let table = tables.first(where: inspection.catalog.hasTable) { return table }
        throw corrupt(
            "Z_PRIMARYKEY",
            "it lists “\(root.name)”, but there is no table Z\(root.name.uppercased())")
    }

    private func corrupt(_ location: String, _ detail: String) -> StoreError {
        .corrupt(inspection.connection.location, location: location, detail: detail)
    }
}
