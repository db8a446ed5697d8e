import CairnModel
import CairnStore

/// Counts a store's rows by the entities that `Z_PRIMARYKEY` lists, with no model given.
///
/// An entity that was renamed in place is listed under its old name. It is counted under its new
/// one, which the model inside the store, or else the recorded hashes, have.
struct EntityCounter {
    private struct Listed {
        let number: Int64
        let name: String
        let superentity: Int64
    }

    private let inspection: StoreInspection
    private let listed: [Listed]
    /// The model's entity by the store's number; empty if the store contains no model that can be
    /// read.
    private let entities: [Int64: Entity]
    private let recorded: Set<String>

    /// - Throws: `.corrupt`, `.busy`, `.engineFailure`.
    init(inspection: StoreInspection) throws(StoreError) {
        self.inspection = inspection
        listed = try Self.listedEntities(inspection)
        recorded = Set(try inspection.metadata().entityVersionHashes.keys)
        entities = Self.entities(of: inspection, listed)
    }

    /// Returns the rows of each entity, subentities apart.
    ///
    /// - Throws: `.corrupt`, `.busy`, `.engineFailure`.
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

    /// Each entity's name by the store's number.
    private var names: [Int64: String] {
        var names = Dictionary(
            listed.map { ($0.number, entities[$0.number]?.name ?? $0.name) },
            uniquingKeysWith: { first, _ in first })
        // Without a model: one name without a hash and one hash without a name are one entity.
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
        // Rows can be counted without a model, so one that cannot be read does no harm.
        guard let description = try? inspection.model(),
            let model = try? ManagedObjectModel(description)
        else { return [:] }
        let matched = StoreEntities(
            matching: model, listed: listed.map { ($0.name, $0.number) })
        return Dictionary(
            matched.entities.map { ($0.number, $0.entity) },
            uniquingKeysWith: { first, _ in first })
    }

    /// A store that was migrated in place may keep the table under another name than it lists.
    private func table(of root: Listed) throws(StoreError) -> SQLName {
        let entity = entities[root.number]
        let names = [root.name, entity?.name, entity?.renamingIdentifier].compactMap(\.self)
        let tables = names.map { SQLName("Z" + $0.uppercased()) }
        if let table = tables.first(where: inspection.catalog.hasTable) { return table }
        throw corrupt(
            "Z_PRIMARYKEY",
            "it lists “\(root.name)”, whose table Z\(root.name.uppercased()) is not there")
    }

    private func corrupt(_ location: String, _ detail: String) -> StoreError {
        .corrupt(inspection.connection.location, location: location, detail: detail)
    }
}
