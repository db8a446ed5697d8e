import CairnModel
import CairnStore

/// Counts a store's rows by the entities that `Z_PRIMARYKEY` lists, with no model given.
struct EntityCounter {
    private struct Listed {
        let number: Int64
        let name: String
        let superentity: Int64
    }

    /// Core Data numbers the entities of its own bookkeeping, such as persistent history, from
    /// 16001.
    private static let firstReservedNumber: Int64 = 16_000

    let inspection: StoreInspection

    /// Returns the rows of each entity, subentities apart, under the names that the store lists.
    ///
    /// - Throws: `.corrupt`, `.busy`, `.engineFailure`.
    func counts() throws(StoreError) -> [String: Int] {
        let listed = try listedEntities()
        var counts: [String: Int] = [:]
        for entity in listed { counts[entity.name] = 0 }
        for root in listed where root.superentity == 0 {
            let table = try table(of: root.name)
            let select = try inspection.connection.statement(
                "SELECT Z_ENT, COUNT(*) FROM \(table) GROUP BY Z_ENT")
            while try select.step() {
                let number = try select.integer(at: 0, "table \(table), column Z_ENT") ?? 0
                guard let entity = listed.first(where: { $0.number == number }) else {
                    throw corrupt(table.text, "rows have the unknown entity number \(number)")
                }
                counts[entity.name] = Int(select.int64(at: 1))
            }
        }
        return counts
    }

    private func listedEntities() throws(StoreError) -> [Listed] {
        let select = try inspection.connection.statement(
            "SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY")
        var listed: [Listed] = []
        while try select.step() {
            let number = try select.key(at: 0, "Z_PRIMARYKEY, column Z_ENT")
            guard number < Self.firstReservedNumber, let name = select.text(at: 1) else { continue }
            let superentity = try select.integer(at: 2, "Z_PRIMARYKEY, column Z_SUPER")
            listed.append(Listed(number: number, name: name, superentity: superentity ?? 0))
        }
        return listed
    }

    /// A store that was migrated in place may list a root under its old name.
    private func table(of root: String) throws(StoreError) -> SQLName {
        let table = SQLName("Z" + root.uppercased())
        if inspection.catalog.hasTable(table) { return table }
        let renamed = try inspection.model()?.entities.first { $0.renamingIdentifier == root }
        if let renamed {
            let table = SQLName("Z" + renamed.name.uppercased())
            if inspection.catalog.hasTable(table) { return table }
        }
        throw corrupt("Z_PRIMARYKEY", "it lists “\(root)”, whose table \(table) is not there")
    }

    private func corrupt(_ place: String, _ detail: String) -> StoreError {
        .corrupt(inspection.connection.location, place: place, detail: detail)
    }
}
